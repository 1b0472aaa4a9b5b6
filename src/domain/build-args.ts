import { isArgName } from './variable-name.ts'

const MAX_ARGS = 100
/** BuildKit would run it as the program that reads the Dockerfile. */
const RESERVED = 'BUILDKIT_SYNTAX'

export const isReservedArg = (name: string): boolean => name === RESERVED

export type ParsedBuildArgs = { args: Record<string, string> } | { problem: string }

/**
 * Build arguments as people write them: `A=b C="d e"`, one a line, with or without `--build-arg`, or a JSON object.
 * Quotes and backslashes work as in a shell, and nothing else does: no variable is expanded, no command is run.
 */
export function parseBuildArgs(text: string | null): ParsedBuildArgs {
  const trimmed = text?.trim() ?? ''
  if (trimmed === '') return { args: {} }
  const pairs = trimmed.startsWith('{') ? pairsOfJson(trimmed) : pairsOfWords(trimmed)
  if ('problem' in pairs) return pairs
  if (pairs.list.length > MAX_ARGS) return { problem: `holds more than ${MAX_ARGS} arguments` }
  for (const [name, value] of pairs.list) {
    if (!isArgName(name)) return { problem: `"${name.slice(0, 60)}" is not a name of letters, digits and underscores` }
    if (value.includes('\0')) return { problem: `${name} holds a NUL character` }
    if (isReservedArg(name)) return { problem: `must not set ${RESERVED}` }
  }
  return { args: Object.fromEntries(pairs.list) }
}

type Pairs = { list: [name: string, value: string][] } | { problem: string }

function pairsOfJson(text: string): Pairs {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { problem: 'begins like a JSON object and is none' }
  }
  const entries = Object.entries(parsed as Record<string, unknown>)
  const odd = entries.find(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))
  if (odd) return { problem: `${odd[0].slice(0, 60)} must be a text, a number, true or false` }
  return { list: entries.map(([name, value]) => [name, String(value)]) }
}

function pairsOfWords(text: string): Pairs {
  const words = wordsOf(text)
  if (words === null) return { problem: 'has a quotation mark that is never closed' }
  const list: [string, string][] = []
  for (const word of words) {
    if (word === '--build-arg') continue
    const pair = word.startsWith('--build-arg=') ? word.slice('--build-arg='.length) : word
    const at = pair.indexOf('=')
    if (at < 1) return { problem: `"${pair.slice(0, 60)}" is not of the form NAME=value` }
    list.push([pair.slice(0, at), pair.slice(at + 1)])
  }
  return { list }
}

/** One word at a time: quoted and bare pieces that touch are one word. Null when a quotation is not closed. */
function wordsOf(text: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    const isEscape = char === '\\' && quote !== "'" && at + 1 < text.length
    if (isEscape) word = (word ?? '') + text.charAt(++at)
    else if (char === quote) quote = null
    else if (quote === null && (char === '"' || char === "'")) [quote, word] = [char, word ?? '']
    else if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote !== null) return null
  return word === null ? words : [...words, word]
}
