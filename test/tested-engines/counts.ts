import type { Counts } from '../support/summary-reporter.ts'

/** What one or more runs of tests have shown. */
export interface TestCounts extends Counts {
  /** A line for each test that failed first and passed in the second run: something to look at, no failure. */
  flaky: readonly string[]
}

export const NONE: TestCounts = { passed: 0, failed: 0, failures: [], failedFiles: [], elsewhere: 0, flaky: [] }

/** More than a busy machine makes fail: something is broken, and a second run would only take its time. */
const MAX_FILES = 8

export const sumOf = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  failures: [...one.failures, ...other.failures],
  failedFiles: [...one.failedFiles, ...other.failedFiles],
  elsewhere: one.elsewhere + other.elsewhere,
  flaky: [...one.flaky, ...other.flaky],
})

/**
 * Whether the files with a failure are run once more. In CI only, where a run of three quarters of an hour is worth little
 * if one test of nine thousand met a busy moment; a contributor is shown a failure at once. Not where something failed that
 * is in none of these files: a second run of them would not show whether it fails again.
 */
export function isWorthAnotherRun(
  { failed, failedFiles, elsewhere }: TestCounts,
  { isCi = Boolean(process.env.CI) } = {},
): boolean {
  return isCi && failed > 0 && elsewhere === 0 && failedFiles.length > 0 && failedFiles.length <= MAX_FILES
}

/** Both runs as one: what failed in the second one has failed, and what failed in the first one alone is named as flaky. */
export function withSecondRun(first: TestCounts, second: TestCounts): TestCounts {
  if (second.passed === 0) return first
  const placeOf = (line: string) => line.slice(0, line.indexOf(': '))
  const failedAgain = new Set(second.failures.map(placeOf))
  const flaky = first.failures.filter((line) => !failedAgain.has(placeOf(line)))
  return { ...second, passed: first.passed + flaky.length, flaky }
}
