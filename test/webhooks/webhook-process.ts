import pino from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { enableFaultInjection } from '../../src/fault-injection/failpoint.ts'
import { createDatabase } from '../../src/storage/database/client.ts'
import { keyFromHex } from '../../src/storage/secrets/keys.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { WebhookWorker } from '../../src/worker/webhooks/webhook-worker.ts'

/** Delivers webhooks until it is killed. */
const { url, key, name, ordersFolder, settings } = JSON.parse(process.argv[2] ?? '{}')
enableFaultInjection(ordersFolder)
const context = {
  database: createDatabase({ url, poolSize: 3 }),
  config: readConfig(settings),
  vault: createVault(keyFromHex(key)),
  log: pino({ level: 'silent' }),
}
await new WebhookWorker(context, name).run(new AbortController().signal)
