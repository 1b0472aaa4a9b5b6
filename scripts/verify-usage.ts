// npm run usage:verify   works every closed statement out again from the usage log; ends with 1 when one differs
import { resolve } from 'node:path'
import { type Config, readConfig } from '../src/config/config.ts'
import { createDatabase, type Database } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { verifyStatements } from '../src/storage/usage/verify-statements.ts'

async function main(config: Config): Promise<boolean> {
  await using undo = new AsyncDisposableStack()
  let url = config.DATABASE_URL
  if (!url) {
    const server = await startEmbeddedPostgres({ dataDir: resolve(config.BERTH_DATA_DIR) })
    undo.defer(() => server.stop())
    url = server.url
  }
  const database = createDatabase({ url, poolSize: 2, applicationName: 'berth-usage' })
  undo.defer(() => database.$disconnect())
  return await print(database, config.BERTH_USAGE_MONTHS)
}

async function print(database: Database, monthsKept: number): Promise<boolean> {
  const accounts = new Map((await database.account.findMany()).map(({ id, name }) => [id, name]))
  let [checked, different] = [0, 0]
  for await (const { accountId, month, total, currency, isPast, problem } of verifyStatements(database, monthsKept)) {
    const name = accounts.get(accountId) ?? 'a deleted account'
    const said = problem ?? (isPast ? 'its usage log is not kept any more' : 'as the usage log says')
    console.log(`${problem ? '✗' : '✓'} ${month} ${accountId} (${name}), ${total} ${currency}: ${said}`)
    if (!isPast) checked += 1
    if (problem) different += 1
  }
  console.log(
    different === 0
      ? `All ${checked} statements are what the usage log says.`
      : `${different} of ${checked} statements differ from the usage log.`,
  )
  return different === 0
}

try {
  process.exitCode = (await main(readConfig(process.env))) ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
