import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isWorthAnotherRun, type TestCounts, withSecondRun } from './counts.ts'
import { reportRuns } from './report-runs.ts'

const OWN = {
  name: 'own',
  version: '20.10.24 (API 1.41)',
  store: 'overlay2',
  passed: 40,
  failed: 0,
  failures: [],
  failedFiles: [],
  elsewhere: 0,
  flaky: [],
  minutes: 60.24,
}
const IMPOSSIBLE = { name: 'containerd', notRun: 'only root can start a container engine', isImpossible: true }
const NOT_STARTED = { name: 'containerd', notRun: 'it does not start: no network', isImpossible: false }

let printed: string[]

beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((text) => printed.push(...String(text).split('\n')))
})
afterEach(() => vi.restoreAllMocks())

test('a line for each engine, then the sum', () => {
  const runs = [
    OWN,
    {
      ...OWN,
      name: 'containerd',
      version: '28.5.2 (API 1.51)',
      failed: 2,
      failures: ['one', 'two'],
      flaky: ['three'],
      minutes: 5,
    },
  ]
  expect(reportRuns(runs)).toBe(1)
  expect(printed).toEqual([
    '',
    'Engine      Version              Images    Tests  Failed  Flaky  Minutes',
    'own         20.10.24 (API 1.41)  overlay2  40     0       0      60.2',
    'containerd  28.5.2 (API 1.51)    overlay2  42     2       1      5.0',
    '',
    'FLAKY three',
    'FAILED one',
    'FAILED two',
    '80 passed, 2 failed',
  ])
})

test.each([true, false])('an engine that this machine cannot have is named with the reason; in CI: %s', (isCi) => {
  expect(reportRuns([OWN, IMPOSSIBLE], { isCi })).toBe(0)
  expect(printed.at(-3)).toBe('containerd  not run: only root can start a container engine')
  expect(printed.at(-1)).toBe('40 passed, 0 failed')
})

test.each([
  { isCi: true, code: 1, failed: 1 },
  { isCi: false, code: 0, failed: 0 },
])('one that does not start is a failure in CI only: $isCi', ({ isCi, code, failed }) => {
  expect(reportRuns([OWN, NOT_STARTED], { isCi })).toBe(code)
  expect(printed.at(-3)).toBe('containerd  not run: it does not start: no network')
  expect(printed.at(-1)).toBe(`40 passed, ${failed} failed`)
})

const counts = (failures: readonly string[], passed: number, files: readonly string[]): TestCounts => ({
  passed,
  failed: failures.length,
  failures,
  failedFiles: files,
  elsewhere: 0,
  flaky: [],
})

test('files with a failure are run once more in CI, unless so many failed that something is broken', () => {
  const isCi = true
  const files = (count: number) => Array.from({ length: count }, (_, index) => `test/${index}.test.ts`)
  expect(isWorthAnotherRun(counts([], 40, []), { isCi })).toBe(false)
  expect(isWorthAnotherRun(counts(['a > b: c'], 40, files(1)), { isCi })).toBe(true)
  expect(isWorthAnotherRun(counts(['a > b: c'], 40, files(1)), { isCi: false })).toBe(false)
  expect(isWorthAnotherRun(counts(['a > b: c'], 40, files(9)), { isCi })).toBe(false)
  expect(
    isWorthAnotherRun({ ...counts(['a > b: c', 'outside of a test: d'], 40, files(1)), elsewhere: 1 }, { isCi }),
  ).toBe(false)
})

test('what fails again has failed; what passes then is counted and named as flaky', () => {
  const first = counts(['[quick] a.test.ts > one: slow', '[quick] a.test.ts > two: wrong'], 40, ['a.test.ts'])
  expect(withSecondRun(first, counts(['[quick] a.test.ts > two: wrong still'], 7, ['a.test.ts']))).toEqual({
    passed: 41,
    failed: 1,
    failures: ['[quick] a.test.ts > two: wrong still'],
    failedFiles: ['a.test.ts'],
    elsewhere: 0,
    flaky: ['[quick] a.test.ts > one: slow'],
  })
  expect(withSecondRun(first, counts(['the run ended with 143'], 0, []))).toBe(first)
})
