import { BuildFailure } from './build-failure.ts'

type Range = readonly [from: string, to: string]

/** One step of a pattern. `folders` stands for any number of folders above; `rest` for everything that follows. */
type Token =
  | { kind: 'text'; char: string }
  | { kind: 'one' }
  | { kind: 'set'; isNegated: boolean; ranges: readonly Range[] }
  | { kind: 'star' }
  | { kind: 'folders' }
  | { kind: 'rest' }

/** A pattern that is being compared with a path, and the places in it that the path may have reached. */
export class PathPattern {
  readonly #tokens: readonly Token[]
  readonly #begin: States

  /**
   * A path pattern as container engines read it: `*`, `?`, `[a-z]`, `\\` and `**`. Follows all possible matches at once,
   * so it takes at most pattern times path: a regular expression could take exponential time, and the tenant chooses
   * both. Throws SOURCE_REFUSED for an invalid pattern.
   */
  constructor(pattern: string) {
    this.#tokens = [...tokensOf(pattern)]
    this.#begin = closure(this.#tokens, [0])
  }

  /** Before the first character of a path. */
  get begin(): States {
    return this.#begin
  }

  /** After some more of the path. `count` gets the number of steps that this takes. */
  advance(states: States, text: string, count: (steps: number) => void): States {
    let reached = states
    for (const char of text) {
      if (reached.size === 0) return reached
      count(costOf(this.#tokens, reached))
      const next: number[] = []
      for (const state of reached) next.push(...after(this.#tokens, state, char))
      reached = closure(this.#tokens, next)
    }
    return reached
  }

  isMatch(states: States): boolean {
    return states.has(this.#tokens.length * 2)
  }
}

export type States = ReadonlySet<number>

/** Whether a pattern matches a path. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const read = new PathPattern(pattern)
  return (path) => read.isMatch(read.advance(read.begin, path, () => {}))
}

/** A set is compared range by range. */
function costOf(tokens: readonly Token[], states: States): number {
  let cost = states.size
  for (const state of states) {
    const token = tokens[Math.floor(state / 2)]
    if (token?.kind === 'set') cost += token.ranges.length
  }
  return cost
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
      return char !== '/' && isIn(token, char) ? [next] : []
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
      yield { kind: 'set', ...setOf(chars.slice(at + 1, end)) }
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

function setOf(chars: readonly string[]): { isNegated: boolean; ranges: Range[] } {
  const isNegated = chars[0] === '^'
  const listed = chars.slice(isNegated ? 1 : 0)
  const ranges: Range[] = []
  for (let at = 0; at < listed.length; at += 1) {
    if (listed[at] === '\\') at += 1
    const from = listed[at] ?? ''
    const isRange = listed[at + 1] === '-' && at + 2 < listed.length
    ranges.push([from, isRange ? (listed[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  return { isNegated, ranges }
}

const isIn = ({ isNegated, ranges }: { isNegated: boolean; ranges: readonly Range[] }, char: string): boolean =>
  ranges.some(([from, to]) => from <= char && char <= to) !== isNegated
