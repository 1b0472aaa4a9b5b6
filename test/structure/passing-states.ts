import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TESTS = join(import.meta.dirname, '..')

/** A wait for a state, up to its arguments. */
const WAIT = /\b(?:eventually|expect\.poll|vi\.waitFor)(?:<\w+>)?\(/g

/** States that the product leaves by itself, so that a test on a busy machine may not see them. */
const PASSING =
  /=== '(?:DRAINING|STARTING|UNREADY|DEGRADED|UNHEALTHY|UNKNOWN|UPDATING|DEPLOYING|BUILDING|QUEUED|INSTALLING)'|!== '(?:HEALTHY|READY)'|ENGINE_UNREACHABLE/

/** How a test says why the state lasts until it was read. */
const LASTS = /\/\/ Lasts\b|\.hold\(/

/** How far above a wait it may say so. */
const LINES_ABOVE = 12

/** Waits for states that pass, without a word on why they last. */
export function waitsForPassingStates(): { waits: number; found: string[] } {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const found: string[] = []
  let waits = 0
  for (const name of files.filter((file) => !file.startsWith('structure/'))) {
    const text = readFileSync(join(TESTS, name), 'utf8')
    for (const { index, 0: start } of text.matchAll(WAIT)) {
      waits += 1
      const wait = argumentsFrom(text, index + start.length)
      const before = text.slice(0, index).split('\n')
      const said = before.slice(-LINES_ABOVE).join('\n') + wait
      if (!PASSING.test(wait) || LASTS.test(said)) continue
      found.push(`${name}:${before.length}: ${PASSING.exec(wait)?.[0]}`)
    }
  }
  return { waits, found }
}

/** As far as the bracket that closes the call. */
function argumentsFrom(text: string, from: number): string {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(from, at)
  }
  return text.slice(from)
}
