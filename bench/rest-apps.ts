import { readConfig } from '../src/config/config.ts'
import { newId } from '../src/domain/ids.ts'
import { openInstallation } from '../src/services/installation.ts'
import { createDatabase } from '../src/storage/database/client.ts'
import { migrate } from '../src/storage/database/migrate.ts'
import { newKey } from '../src/storage/secrets/keys.ts'
import { newSecret } from '../src/storage/secrets/token-secret.ts'
import { createVault } from '../src/storage/secrets/vault.ts'
import type { BenchResult } from './bench-result.ts'
import { HOW, interleaved, inWords, withServers } from './interleaved.ts'

const APPS = 100

/** Requests per second of GET /apps against plain node http + pg on the same database: an account with 100 apps. */
export function benchRestApps(): Promise<BenchResult> {
  return withServers(async (url, start) => {
    const { token, accountId } = await fill(url)
    const reference = await start('rest-apps-reference.ts', url, accountId)
    const berth = await start('rest-apps-server.ts', url)
    const [ours, theirs] = await interleaved([berth, reference], { path: '/api/public/v1/apps', token })
    if (!ours || !theirs) throw new Error('Nothing was measured')
    const cpu = theirs.cpuMicros.median / ours.cpuMicros.median
    return {
      name: `REST: GET /apps of ${APPS} apps, against plain node http + pg, which asks for no token`,
      ratio: ours.perSecond.median / theirs.perSecond.median,
      aim: 1,
      better: 'higher',
      detail: `${cpu.toFixed(2)} × by CPU; ${inWords(ours)}, against ${inWords(theirs)}; ${HOW}`,
      limitedBy: `the api’s one thread: reading ${APPS} rows, turning them into JSON and writing to both sockets`,
    }
  })
}

async function fill(url: string): Promise<{ token: string; accountId: string }> {
  await migrate(url)
  const database = createDatabase({ url, poolSize: 2 })
  const token = newSecret('USER')
  await openInstallation(database, createVault(newKey()), readConfig({}), token)
  const { id: accountId } = await database.account.findFirstOrThrow()
  const apps = Array.from({ length: APPS }, (_, index) => ({
    id: newId('app'),
    accountId,
    name: `App ${index}`,
    slug: `app-${index}`,
    port: 3000,
    gitProvider: 'GITHUB',
    gitNamespace: 'acme',
    gitRepo: `app-${index}`,
  }))
  await database.app.createMany({ data: apps })
  await database.$executeRaw`VACUUM ANALYZE`
  await database.$disconnect()
  return { token, accountId }
}
