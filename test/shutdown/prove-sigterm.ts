// npm run prove -- sigterm [--rounds 3 --subscriptions 500 --answers 300]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import { createDatabase } from '../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { createFleet } from '../support/api-process.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { beginHandover } from './handover.ts'
import { proveShutdown } from './shutdown.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    subscriptions: { type: 'string', default: '500' },
    answers: { type: 'string', default: '300' },
  },
})
const dataDir = await mkdtemp(join(tmpdir(), 'berth-prove-'))
const postgres = await startEmbeddedPostgres({ dataDir })
const settings = { BERTH_ROLES: 'api,worker,ingress', BERTH_RATE_LIMIT: '1000000' }
const fleet = createFleet({ databaseUrl: postgres.url, settings })
const database = createDatabase({ url: postgres.url, poolSize: 2 })
let failures = 0

/** One process takes the load and is ended; the other one takes over what it was at. */
async function round(number: number): Promise<void> {
  const running = await fleet.start()
  const handover = await beginHandover(running, database)
  const successor = await fleet.start()
  const report = await proveShutdown({
    running,
    database,
    subscriptions: Number(values.subscriptions),
    answersFirst: Number(values.answers),
  })
  const problems = [...report.problems, ...(await handover.check())]
  if (report.code !== 0) problems.push(`It ended with ${report.code}`)
  const { codes, reasons } = report.goodbyes
  console.log(
    `round ${number}: ended in ${(report.ms / 1000).toFixed(1)} s; ${report.answered} requests answered, ` +
      `${report.refused} refused, ${problems.length} problems; ${values.subscriptions} subscriptions: ` +
      `sockets closed with ${JSON.stringify(codes)}, streams ended with ${JSON.stringify(reasons)}`,
  )
  for (const problem of problems) console.error(`  ${problem}`)
  failures += problems.length
  await successor.end('SIGTERM')
  await removeEnvironments()
}

/** The next round has names of its own to give. */
async function removeEnvironments(): Promise<void> {
  const { id } = await database.installation.findFirstOrThrow()
  await removeEverything(new Docker(), id)
  await database.$executeRaw`TRUNCATE app CASCADE`
}

try {
  for (let number = 1; number <= Number(values.rounds); number += 1) await round(number)
  console.log(failures === 0 ? 'No answer lost.' : `${failures} problems`)
  process.exitCode = failures === 0 ? 0 : 1
} finally {
  await fleet.stop()
  await removeEnvironments()
  await database.$disconnect()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
