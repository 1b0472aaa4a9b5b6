// npm run prove -- events [--seed 7 --events 1000 --sessions 8]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { proveResume } from './resume/resume.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    events: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '8' },
  },
})
console.log(`seed ${values.seed}`)
const dataDir = await mkdtemp(join(tmpdir(), 'berth-prove-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  const report = await proveResume({
    databaseUrl: postgres.url,
    seed: Number(values.seed),
    sessions: Number(values.sessions),
    events: Number(values.events),
    kills: true,
  })
  const { events, rolledBack, overtaken, readers, connections, problems } = report
  console.log(
    `${events} events by ${values.sessions} sessions (${overtaken} transactions overtaken, ${rolledBack} rolled back), ` +
      `${readers} readers over ${connections} connections to two api processes, one of them killed meanwhile`,
  )
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? 'None lost, repeated or reordered.' : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
