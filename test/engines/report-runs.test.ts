import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reportRuns } from './report-runs.ts'

const OWN = {
  name: 'own',
  version: '20.10.24 (API 1.41)',
  store: 'overlay2',
  passed: 40,
  failed: 0,
  failures: [],
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
    { ...OWN, name: 'containerd', version: '28.5.2 (API 1.51)', failed: 2, failures: ['one', 'two'], minutes: 5 },
  ]
  expect(reportRuns(runs)).toBe(1)
  expect(printed).toEqual([
    '',
    'Engine      Version              Images    Tests  Failed  Minutes',
    'own         20.10.24 (API 1.41)  overlay2  40     0       60.2',
    'containerd  28.5.2 (API 1.51)    overlay2  42     2       5.0',
    '',
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
