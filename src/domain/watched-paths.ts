import { PathPattern } from './path-pattern.ts'
import { withoutTrailing } from './without-trailing.ts'

/** Budget for all paths of a push. A push that exceeds it counts as watched, so that its delivery is answered in time. */
const MAX_STEPS = 500_000

interface Rule {
  isException: boolean
  pattern: PathPattern
}

/**
 * Whether a pattern chooses any of the paths: `src/**`, or a folder for all that is below it. Later patterns go before
 * earlier ones, and one that begins with `!` leaves paths out; a list that begins with such a one chooses all others.
 * Without patterns, and where comparing takes too long, every path is chosen. Throws for an invalid pattern.
 */
export function choosesAny(patterns: readonly string[], paths: readonly string[]): boolean {
  const rules = patterns.map(ruleOf)
  const last = rules.length - 1
  let steps = 0
  const count = (more: number) => {
    steps += more
  }
  return paths.some((path) => {
    if (steps > MAX_STEPS) return true
    for (let at = last; at >= 0; at -= 1) {
      const rule = rules[at]
      if (rule && reaches(rule.pattern, path, count)) return !rule.isException
    }
    return rules[0]?.isException ?? true
  })
}

export function isPathPattern(text: string): boolean {
  try {
    return ruleOf(text).pattern.begin.size > 0
  } catch {
    return false
  }
}

function ruleOf(text: string): Rule {
  const isException = text.startsWith('!')
  const written = withoutTrailing((isException ? text.slice(1) : text).replace(/^(\.?\/)+/, ''), '/')
  return { isException, pattern: new PathPattern(written) }
}

/** Whether it matches the path, or a folder above it. */
function reaches(pattern: PathPattern, path: string, count: (steps: number) => void): boolean {
  let states = pattern.begin
  for (const [at, part] of path.split('/').entries()) {
    states = pattern.advance(states, at === 0 ? part : `/${part}`, count)
    if (pattern.isMatch(states)) return true
    if (states.size === 0) return false
  }
  return false
}
