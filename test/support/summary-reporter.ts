import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Names a file that the counts are written to as well, for programs that run several suites. */
export const COUNTS_FILE = 'BERTH_TEST_COUNTS'

export interface Counts {
  passed: number
  failed: number
}

/** Ends the output with a machine-readable line: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that does not load has no tests that could fail, but is a failure all the same.
    const brokenModules = modules.filter((module) => module.errors().length > 0).length
    const failed = count('failed') + brokenModules + unhandledErrors.length
    const counts: Counts = { passed: count('passed'), failed }
    process.stdout.write(`${summaryLine(counts)}\n`)
    const file = process.env[COUNTS_FILE]
    if (file) writeFileSync(file, JSON.stringify(counts))
  }
}

export const summaryLine = ({ passed, failed }: Counts): string => `${passed} passed, ${failed} failed`
