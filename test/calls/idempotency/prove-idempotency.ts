// npm run prove -- idempotency [--seed 7 --rounds 20]
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { proveOnTestCluster } from '../../crash/harness/prove-on-test-cluster.ts'
import { createWorld } from '../../support/world.ts'
import { dryRunEverything } from './dry-runs.ts'
import { proveEverything } from './everything.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rounds: { type: 'string', default: '20' },
  },
})
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)

/** In an installation of its own beside the test cluster's, in which nothing else happens meanwhile. */
async function proveDryRuns(databaseUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl })
  await admin.connect()
  await admin.query('CREATE DATABASE dry_runs')
  await admin.end()
  const url = new URL(databaseUrl)
  url.pathname = '/dry_runs'
  await migrate(url.href)
  const database = createDatabase({ url: url.href, poolSize: 5 })
  const world = await createWorld({ held: { url: url.href, database, drop: () => database.$disconnect() } })
  try {
    const runs = await dryRunEverything(world, { casesOfEach: Number.POSITIVE_INFINITY })
    log(`${runs} dry runs of every command over both APIs: no row of any table changed`)
  } finally {
    await world.close()
  }
}

await proveOnTestCluster(
  async (cluster) => {
    await proveEverything(cluster, { rounds: Number(values.rounds), seed: Number(values.seed) }, log)
    await proveDryRuns(cluster.superuserUrl)
  },
  { processes: { api: 2, worker: 1, ingress: 0 } },
)
