import { BuildFailure } from './build-failure.ts'
import { PathPattern, type States } from './path-pattern.ts'

const MAX_RULES = 2_000
/** The time to normalize a pattern grows with the square of its length. No path is this long. */
const MAX_PATTERN_LENGTH = 4096
/** For all paths of a source. A hundred patterns that begin with a double star need a tenth of it for 50,000 files. */
const MAX_STEPS = 500_000_000

interface Rule {
  isException: boolean
  pattern: PathPattern
}

/** A path of the source, and what is left to compare with the paths below it. */
export interface ReadPath {
  isIgnored: boolean
  /** Number of the last rule that matches it or a folder above it; -1 without one. */
  lastMatch: number
  /** Later rules that may match something below, in order. */
  ahead: readonly { rule: number; states: States }[]
}

/**
 * Which paths a .dockerignore leaves out: those that a pattern matches, or whose parent one matches, unless a later
 * pattern that begins with `!` includes them again. What all paths of a folder have in common is compared once. Throws
 * SOURCE_REFUSED.
 */
export class IgnoreRules {
  readonly #rules: readonly Rule[]
  #steps = 0

  constructor(lines: readonly string[]) {
    this.#rules = lines.flatMap(ruleOf)
    if (this.#rules.length <= MAX_RULES) return
    throw new BuildFailure('SOURCE_REFUSED', `.dockerignore holds more than ${MAX_RULES} patterns`)
  }

  /** The folder that is built. */
  get root(): ReadPath {
    const ahead = this.#rules.map(({ pattern }, rule) => ({ rule, states: pattern.begin }))
    return { isIgnored: false, lastMatch: -1, ahead }
  }

  /** A path below another one, by what follows that: `name`, or `/name` below all but the root. */
  below({ lastMatch: above, ahead: rules }: ReadPath, text: string): ReadPath {
    let lastMatch = above
    const ahead: { rule: number; states: States }[] = []
    for (const { rule, states } of rules) {
      const pattern = this.#rules[rule]?.pattern
      const reached = pattern?.advance(states, text, (steps) => this.#count(steps))
      if (reached && pattern?.isMatch(reached)) lastMatch = rule
      else if (reached && reached.size > 0) ahead.push({ rule, states: reached })
    }
    const isIgnored = lastMatch >= 0 && this.#rules[lastMatch]?.isException === false
    return { isIgnored, lastMatch, ahead: ahead.filter(({ rule }) => rule > lastMatch) }
  }

  /** Whether a path is ignored, for a few paths. */
  ignores(path: string): boolean {
    const parts = path.split('/').map((part, at) => (at === 0 ? part : `/${part}`))
    return parts.reduce((above, part) => this.below(above, part), this.root).isIgnored
  }

  #count(steps: number): void {
    this.#steps += steps
    if (this.#steps <= MAX_STEPS) return
    throw new BuildFailure('SOURCE_REFUSED', '.dockerignore takes too many steps: use fewer or shorter patterns')
  }
}

function ruleOf(line: string): Rule[] {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return []
  const isException = text.startsWith('!')
  const written = (isException ? text.slice(1) : text).trim()
  if (written.length > MAX_PATTERN_LENGTH) {
    throw new BuildFailure(
      'SOURCE_REFUSED',
      `.dockerignore has a pattern of more than ${MAX_PATTERN_LENGTH} characters`,
    )
  }
  const pattern = withoutDots(written)
  return pattern === '' ? [] : [{ isException, pattern: new PathPattern(pattern) }]
}

/** `./tmp/../logs/` as `logs`. What leads out of the folder stays as it is, and matches nothing. Browsers have no path module. */
function withoutDots(written: string): string {
  const parts: string[] = []
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !written.startsWith('/')) parts.push(part)
  }
  return parts.join('/')
}
