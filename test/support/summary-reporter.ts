import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/** Names a file that the counts are written to as well, for programs that run several suites. */
export const COUNTS_FILE = 'BERTH_TEST_COUNTS'

export interface Counts {
  passed: number
  failed: number
  /** A line for each failure: the test and how its error begins. Last in the output, where a long log is read first. */
  failures: readonly string[]
  /** The files with a failure, as Vitest takes their names. */
  failedFiles: readonly string[]
  /** Failures that are in no file, such as a process of tests that died. */
  elsewhere: number
}

/** Ends the output with a machine-readable line: `N passed, N failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { message: string }[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
    // A file that was not run, because its process died, has neither.
    const notRun = modules.filter((module) => ['pending', 'queued'].includes(module.state()))
    const outside = [
      ...unhandledErrors.map((error) => lineOf('outside of a test', [error])),
      ...notRun.map((module) => lineOf(module.relativeModuleId, [{ message: 'was not run' }])),
    ]
    const failures = [
      ...tests.filter(hasFailed).map((test) => lineOf(placeOf(test), test.result().errors)),
      // A group whose hook fails, or a file that does not load, may have no test that fails, and has failed all the same.
      ...groups.filter(hasErrors).map((group) => lineOf(groupPlaceOf(group), group.errors())),
      ...outside,
    ]
    const passed = tests.filter((test) => test.result().state === 'passed').length
    const failed = [...tests.filter(hasFailed).map((test) => test.module), ...groups.filter(hasErrors).map(moduleOf)]
    const failedFiles = [...new Set(failed.map((module) => module.relativeModuleId))]
    const counts: Counts = { passed, failed: failures.length, failures, failedFiles, elsewhere: outside.length }
    process.stdout.write(`${failureLines(counts)}${summaryLine(counts)}\n`)
    const file = process.env[COUNTS_FILE]
    if (file) writeFileSync(file, JSON.stringify(counts))
  }
}

const hasFailed = (test: TestCase): boolean => test.result().state === 'failed'

const hasErrors = (group: TestModule | TestSuite): boolean => group.errors().length > 0

const moduleOf = (group: TestModule | TestSuite): TestModule => (group.type === 'suite' ? group.module : group)

const placeOf = (test: TestCase): string => `[${test.project.name}] ${test.module.relativeModuleId} > ${test.fullName}`

const groupPlaceOf = (group: TestModule | TestSuite): string =>
  group.type === 'suite' ? `${group.module.relativeModuleId} > ${group.fullName}` : group.relativeModuleId

const lineOf = (place: string, errors: readonly { message: string }[] = []): string =>
  `${place}: ${stripVTControlCharacters(errors[0]?.message ?? '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)}`

export const failureLines = ({ failures }: Pick<Counts, 'failures'>): string =>
  failures.map((failure) => `FAILED ${failure}\n`).join('')

export const summaryLine = ({ passed, failed }: Pick<Counts, 'passed' | 'failed'>): string =>
  `${passed} passed, ${failed} failed`
