// npm test    the quick ones on this machine's engine (--quick), with further arguments for Vitest.
// npm run test:all [-- --without-quick]    all tests on this machine's engine, then on engines of today what differs most
// there. Without the quick ones where `npm test` has run them. Other arguments are Vitest's, for one run on this engine.
import { reportRuns } from './report-runs.ts'
import { runOnEngine } from './run-on-engine.ts'
import { projectsOf, QUICK, TESTED_ENGINES } from './tested-engines.ts'

const [option, ...others] = process.argv.slice(2)
const isWithoutQuick = option === '--without-quick' && others.length === 0
const isQuick = option === '--quick'
const isChosen = option !== undefined && !isWithoutQuick && !isQuick
const runs = []
for (const engine of TESTED_ENGINES) {
  const isOwn = engine.from === null
  if (isQuick && !isOwn) continue
  const parts = engine.inEveryRun.filter((part) => (part === QUICK ? !isWithoutQuick : !isQuick))
  const more = isQuick ? others : []
  const tests = isOwn && isChosen ? [[option, ...others]] : parts.map((part) => [...projectsOf(part), ...more])
  runs.push(await runOnEngine(engine, { tests, demo: !isOwn }))
}
process.exitCode = reportRuns(runs)
