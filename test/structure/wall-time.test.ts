import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const TESTS = join(import.meta.dirname, '..')

/** A time that has passed, and the assertion that it was short. */
const SHORT_TIME = /\bnow\(\) - \w+[^\n]*\)\.toBeLess/
/** A wait for a state that gives up before the general bound, 30 seconds (vitest.config.ts). */
const IMPATIENT = /\.poll\(.*\btimeout: ([1-9]|[12]\d)_000 \}\)/

test('no test asserts that something takes little time, or waits for less long than all others', () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(500)
  const found = files.flatMap((name) =>
    readFileSync(join(TESTS, name), 'utf8')
      .split('\n')
      .filter((line) => SHORT_TIME.test(line) || IMPATIENT.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
