// npm run test:all [-- --without-quick]    all tests on this machine's engine, then on engines of today what differs most
// there. Without the quick ones where `npm test` has run them. Other arguments are Vitest's, for one run on this engine.
import { reportRuns } from './report-runs.ts'
import { runOnEngine } from './run-on-engine.ts'
import { projectsOf, QUICK, TESTED_ENGINES } from './tested-engines.ts'

const [option, ...others] = process.argv.slice(2)
const isWithoutQuick = option === '--without-quick' && others.length === 0
const chosen = option === undefined || isWithoutQuick ? null : [option, ...others]
const runs = []
for (const engine of TESTED_ENGINES) {
  const isOwn = engine.from === null
  const parts = engine.inEveryRun.filter((part) => !(isWithoutQuick && part === QUICK))
  const tests = isOwn && chosen ? [chosen] : parts.map(projectsOf)
  runs.push(await runOnEngine(engine, { tests, demo: !isOwn }))
}
process.exitCode = reportRuns(runs)
