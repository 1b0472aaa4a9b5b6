// npm run test:all    all tests on this machine's engine, then on engines of today what differs most there
import { reportRuns } from './report-runs.ts'
import { runOnEngine } from './run-on-engine.ts'
import { TESTED_ENGINES } from './tested-engines.ts'

const options = process.argv.slice(2)
const runs = []
for (const engine of TESTED_ENGINES) {
  const { inEveryRun } = engine
  runs.push(await runOnEngine(engine, { tests: inEveryRun ?? options, demo: inEveryRun !== null }))
}
process.exitCode = reportRuns(runs)
