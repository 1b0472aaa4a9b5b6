import { failureLines, summaryLine } from '../support/summary-reporter.ts'
import type { TestCounts } from './counts.ts'

/** What tests have shown on one engine, or why none were run. */
export type EngineRun = { name: string } & (Ran | NotRun)

interface NotRun {
  notRun: string
  /** This machine cannot have it. */
  isImpossible: boolean
}

interface Ran extends TestCounts {
  version: string
  /** Where the engine keeps images. */
  store: string
  minutes: number
}

const HEADINGS = ['Engine', 'Version', 'Images', 'Tests', 'Failed', 'Flaky', 'Minutes']

/**
 * Prints a line for each engine and, last, the line that a run of tests ends with. Returns the exit code. An engine that
 * does not start is a failure in CI; a contributor, who may have no network, is told why it was not run.
 */
export function reportRuns(runs: readonly EngineRun[], { isCi = Boolean(process.env.CI) } = {}): number {
  const ran = runs.flatMap((run) => ('notRun' in run ? [] : [run]))
  const sum = (counted: 'passed' | 'failed') => ran.reduce((total, run) => total + run[counted], 0)
  const notStarted = runs.filter((run) => 'notRun' in run && !run.isImpossible).length
  const failed = sum('failed') + (isCi ? notStarted : 0)
  const failures = ran.map(failureLines).join('')
  const flaky = ran.flatMap((run) => run.flaky.map((line) => `FLAKY ${line}\n`)).join('')
  console.log(`\n${engineTable(runs)}\n\n${flaky}${failures}${summaryLine({ passed: sum('passed'), failed })}`)
  return failed === 0 ? 0 : 1
}

function engineTable(runs: readonly EngineRun[]): string {
  const rows = [HEADINGS, ...runs.map(rowOf)]
  // A reason is as long as it is, and stands alone.
  const whole = rows.filter(({ length }) => length === HEADINGS.length)
  const widths = HEADINGS.map((_, column) => Math.max(...whole.map((row) => row[column]?.length ?? 0)))
  const lineOf = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}

function rowOf(run: EngineRun): string[] {
  if ('notRun' in run) return [run.name, `not run: ${run.notRun}`]
  const { name, version, store, passed, failed, flaky, minutes } = run
  return [name, version, store, `${passed + failed}`, `${failed}`, `${flaky.length}`, minutes.toFixed(1)]
}
