import { BuildFailure } from '../../domain/build-failure.ts'

/** One step of a pattern. `folders` stands for any number of folders above; `rest` for everything that follows. */
type Token =
  | { kind: 'text'; char: string }
  | { kind: 'one' }
  | { kind: 'set'; has: (char: string) => boolean }
  | { kind: 'star' }
  | { kind: 'folders' }
  | { kind: 'rest' }

/**
 * A path pattern as container engines read it: `*`, `?`, `[a-z]`, `\` and `**`. Follows all possible matches at once,
 * so it takes at most pattern times path: a regular expression could take exponential time, and the tenant chooses
 * both. Throws SOURCE_REFUSED for an invalid pattern.
 */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const tokens = [...tokensOf(pattern)]
  return (path) => {
    let states = closure(tokens, [0])
    for (const char of path) {
      states = closure(
        tokens,
        [...states].flatMap((state) => after(tokens, state, char)),
      )
      if (states.size === 0) return false
    }
    return states.has(tokens.length * 2)
  }
}

/** A state is twice the number of the next token, plus one inside folders. */
const IN_FOLDERS = 1

/** Adds the states that are reached without a character. */
function closure(tokens: readonly Token[], states: readonly number[]): Set<number> {
  const reached = new Set(states)
  // Iterating over a set includes items that are added meanwhile.
  for (const state of reached) {
    const kind = state % 2 === IN_FOLDERS ? undefined : tokens[state / 2]?.kind
    if (kind === 'star' || kind === 'folders' || kind === 'rest') reached.add(state + 2)
  }
  return reached
}

function after(tokens: readonly Token[], state: number, char: string): number[] {
  const index = Math.floor(state / 2)
  const [token, next] = [tokens[index], (index + 1) * 2]
  switch (token?.kind) {
    case 'text':
      return char === token.char ? [next] : []
    case 'one':
      return char === '/' ? [] : [next]
    case 'set':
      return char !== '/' && token.has(char) ? [next] : []
    case 'star':
      return char === '/' ? [] : [state]
    case 'folders':
      return char === '/' ? [index * 2 + IN_FOLDERS, next] : [index * 2 + IN_FOLDERS]
    case 'rest':
      return [state]
    default:
      return []
  }
}

function* tokensOf(pattern: string): Generator<Token> {
  const chars = [...pattern]
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? ''
    if (char === '*' && chars[at + 1] === '*') {
      at += chars[at + 2] === '/' ? 2 : 1
      yield at + 1 < chars.length ? { kind: 'folders' } : { kind: 'rest' }
    } else if (char === '*') yield { kind: 'star' }
    else if (char === '?') yield { kind: 'one' }
    else if (char === '[') {
      const end = endOfSet(chars, at)
      yield { kind: 'set', has: setOf(chars.slice(at + 1, end)) }
      at = end
    } else if (char === '\\') yield { kind: 'text', char: chars[++at] ?? '\\' }
    else yield { kind: 'text', char }
  }
}

function endOfSet(chars: readonly string[], start: number): number {
  for (let at = start + 2; at < chars.length; at += 1) {
    if (chars[at - 1] === '\\') continue
    if (chars[at] === ']') return at
  }
  throw new BuildFailure(
    'SOURCE_REFUSED',
    `${JSON.stringify(chars.join('').slice(0, 120))} is no pattern: "[" has no "]"`,
  )
}

function setOf(chars: readonly string[]): (char: string) => boolean {
  const isNegated = chars[0] === '^'
  const listed = chars.slice(isNegated ? 1 : 0)
  const ranges: [from: string, to: string][] = []
  for (let at = 0; at < listed.length; at += 1) {
    if (listed[at] === '\\') at += 1
    const from = listed[at] ?? ''
    const isRange = listed[at + 1] === '-' && at + 2 < listed.length
    ranges.push([from, isRange ? (listed[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== isNegated
}
