/** Messages of engines for a registry that did not answer, and their meaning. */
const MEANINGS: readonly [RegExp, string][] = [
  [/no such host|server misbehaving|name resolution|lookup /i, 'its name cannot be resolved'],
  [/connection refused|connection reset|broken pipe/i, 'it refuses connections'],
  [/no route to host|network is unreachable/i, 'there is no way to its network'],
  [/http response to https client/i, 'it speaks HTTP, and the engine is not configured to accept that'],
  [/x509|certificate|tls/i, 'the engine does not trust its certificate'],
  [/timeout|timed out|deadline exceeded|canceled while waiting/i, 'it does not answer in time'],
  [/\b5\d\d\b|internal server error|bad gateway|service unavailable/i, 'it answers with an error of its own'],
]

/** Whether an engine's message says that no registry answered. Anything else is an answer. */
export const isSilence = (words: string): boolean =>
  MEANINGS.some(([sign]) => sign.test(words)) || /\bEOF\b/.test(words)

/** The engine's own message contains its resolver and its addresses, which only the operator may see. */
export function silenceOf(registry: string, words: string): string {
  const meaning = MEANINGS.find(([sign]) => sign.test(words))?.[1] ?? 'it does not answer'
  return `the registry ${registry} cannot be reached: ${meaning}`
}
