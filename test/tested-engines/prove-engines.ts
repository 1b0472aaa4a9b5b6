// npm run prove -- engines [--only containerd,overlay2]    what an engine can decide, on every engine of the list
import { parseArgs } from 'node:util'
import { reportRuns } from './report-runs.ts'
import { runOnEngine } from './run-on-engine.ts'
import { projectsOf, TESTED_ENGINES, WHOLE } from './tested-engines.ts'

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const names = values.only?.split(',') ?? TESTED_ENGINES.map(({ name }) => name)
const unknown = names.filter((name) => !TESTED_ENGINES.some((engine) => engine.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no engine ${unknown.join(', ')}; there are ${TESTED_ENGINES.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(1)
}

const runs = []
for (const engine of TESTED_ENGINES) {
  if (names.includes(engine.name)) runs.push(await runOnEngine(engine, { tests: WHOLE.map(projectsOf), demo: true }))
}
process.exitCode = reportRuns(runs)
