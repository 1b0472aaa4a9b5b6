import pino from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { enableFaultInjection } from '../../src/fault-injection/failpoint.ts'
import { deleteExpiredAppEnvs } from '../../src/services/pull-request-envs/delete-expired-app-envs.ts'
import { createDatabase } from '../../src/storage/database/client.ts'
import { keyFromHex } from '../../src/storage/secrets/keys.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { statusTask } from './status-task.ts'

/** Tells git hosts of commits, or deletes what is expired, until it is killed. */
const { url, key, ordersFolder, settings, work } = JSON.parse(process.argv[2] ?? '{}')
enableFaultInjection(ordersFolder)
const context = {
  database: createDatabase({ url, poolSize: 3 }),
  config: readConfig(settings),
  vault: createVault(keyFromHex(key)),
  log: pino({ level: 'silent' }),
}
if (work === 'statuses') await statusTask(context).run(new AbortController().signal)
else await deleteExpiredAppEnvs(context)
await context.database.$disconnect()
