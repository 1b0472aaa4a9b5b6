import { posix } from 'node:path'
import { BuildFailure } from '../../domain/build-failure.ts'
import { pathMatcher } from './path-pattern.ts'

const MAX_RULES = 2_000

interface Rule {
  isException: boolean
  matches: (path: string) => boolean
}

/**
 * Which paths a .dockerignore leaves out: those that a pattern matches, or whose parent one matches, unless a later
 * pattern that begins with `!` includes them again.
 */
export function ignoredBy(lines: readonly string[]): (path: string) => boolean {
  const rules = lines.flatMap(ruleOf)
  if (rules.length > MAX_RULES)
    throw new BuildFailure('SOURCE_REFUSED', `.dockerignore holds more than ${MAX_RULES} patterns`)
  return (path) => {
    const parts = path.split('/')
    const above = parts.map((_part, at) => parts.slice(0, at + 1).join('/'))
    let isIgnored = false
    for (const { isException, matches } of rules) {
      // A rule that could change nothing need not run.
      if (isException === isIgnored && above.some(matches)) isIgnored = !isException
    }
    return isIgnored
  }
}

function ruleOf(line: string): Rule[] {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return []
  const isException = text.startsWith('!')
  const written = (isException ? text.slice(1) : text).trim()
  const pattern = posix.normalize(written).replace(/^\/+/, '').replace(/\/$/, '')
  if (pattern === '' || pattern === '.') return []
  return [{ isException, matches: pathMatcher(pattern) }]
}
