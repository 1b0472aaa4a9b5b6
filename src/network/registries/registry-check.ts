import type { RegistrySilence } from '../../domain/registry-silence.ts'
import { type AddressAnswer, askAddress, retryAfterSeconds } from '../addresses/ask-address.ts'
import type { HostCheck, HostRules } from '../addresses/host-rules.ts'
import type { Inside } from '../addresses/private-addresses.ts'

/** Docker Hub: its names are no tenant's, and an engine may have a mirror for it that Berth cannot see. */
export const HUB = 'docker.io'
const TIMEOUT_MS = 10_000

/** Whether an engine may be sent to a registry. */
export type RegistryVerdict =
  | { kind: 'allowed' }
  /** By the rules about addresses; `why` completes "The registry …". */
  | { kind: 'refused'; why: string }
  | { kind: 'unreachable'; silence: RegistrySilence }
  | { kind: 'busy'; retryAfterSeconds: number | null }

export const refusedAt = (inside: Inside): string => `is on ${inside}, from which no image is taken`
export const realmRefusedAt = (inside: Inside): string => `sends for its tokens to ${inside}`
export const MAX_CHALLENGE_LENGTH = 4096

/**
 * Asks a registry what an engine would ask it first, at an address that was checked, and checks where it sends the
 * engine next: for a token, or by a redirect. An engine resolves these names once more, and may be answered
 * differently; docs/design/security.md says what is left of that.
 */
export async function checkRegistry(registry: string, rules: HostRules, signal: AbortSignal): Promise<RegistryVerdict> {
  if (registry === HUB) return { kind: 'allowed' }
  const url = new URL(`https://${registry}/v2/`)
  const host = await rules.check(url)
  if (host.kind === 'refused') return { kind: 'refused', why: refusedAt(host.inside) }
  const greeted = host.kind === 'unknown' ? 'unresolved' : await greeting(url, host, signal)
  signal.throwIfAborted()
  if (typeof greeted === 'string') {
    // The engine may reach by a proxy, a mirror or a certificate of its own what the operator has listed.
    return host.isListed ? { kind: 'allowed' } : { kind: 'unreachable', silence: greeted }
  }
  const { answer } = greeted
  if (answer.status === 429) return { kind: 'busy', retryAfterSeconds: retryAfterSeconds(answer) }
  return followed(answer, url, rules)
}

interface Greeted {
  /** The address that has answered. */
  at: URL
  answer: AddressAnswer
}

/** The answer, or why there is none. An engine tries plain HTTP only with registries that its operator has listed. */
export async function greeting(
  url: URL,
  { addresses, isListed }: Extract<HostCheck, { kind: 'allowed' }>,
  signal: AbortSignal,
): Promise<Greeted | RegistrySilence> {
  const ask = async (at: URL) => ({ at, answer: await askAddress(at, addresses, inTime(signal)) })
  try {
    return await ask(url)
  } catch (error) {
    if (!isListed) return silenceOf(error)
    return ask(new URL(url.href.replace('https:', 'http:'))).catch(silenceOf)
  }
}

/** The head of the answer is all that an engine is sent by; its body may reach no user. */
const inTime = (signal: AbortSignal) => ({
  headers: { accept: 'application/json' },
  signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
})

export function silenceOf(error: unknown): RegistrySilence {
  const { code = '', name = '' } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'refusing'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'unroutable'
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'ETIMEDOUT') return 'slow'
  return /CERT|SSL|TLS|EPROTO|ALTNAME|SELF_SIGNED|UNABLE_TO/.test(code) ? 'untrusted' : 'mute'
}

/** Judges every address that the answer sends an engine to. */
async function followed({ status, headers }: AddressAnswer, url: URL, rules: HostRules): Promise<RegistryVerdict> {
  const challenge = headers['www-authenticate']
  if ((challenge?.length ?? 0) > MAX_CHALLENGE_LENGTH) return { kind: 'refused', why: 'asks for more than a login' }
  const location = status >= 300 && status < 400 ? headers.location : undefined
  const targets = [
    ...(typeof location === 'string' ? [{ text: location, why: (inside: Inside) => `redirects to ${inside}` }] : []),
    ...realmsOf(challenge).map((text) => ({ text, why: realmRefusedAt })),
  ]
  for (const { text, why } of targets) {
    const target = URL.canParse(text, url) ? new URL(text, url) : null
    if (!target || !['https:', 'http:'].includes(target.protocol))
      return { kind: 'refused', why: 'names an invalid address' }
    const found = await rules.check(target)
    if (found.kind === 'refused') return { kind: 'refused', why: why(found.inside) }
    if (found.kind === 'unknown' && !found.isListed) return { kind: 'unreachable', silence: 'unresolved' }
  }
  return { kind: 'allowed' }
}

/** The realms of all Bearer challenges; that of Basic is only a text. */
export function realmsOf(header: string | string[] | undefined): string[] {
  const text = [header ?? []].flat().join(', ')
  if (!/\bbearer\b/i.test(text)) return []
  const isBasicOnly = (before: string) => /\bbasic\b/i.test(before.slice(before.lastIndexOf(',') + 1))
  return [...text.matchAll(/\brealm\s*=\s*(?:"([^"]*)"|([^\s,]+))/gi)]
    .filter(({ index }) => !isBasicOnly(text.slice(Math.max(0, index - 64), index)))
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
}
