// npm run key:rotate    seals all secrets under a new master key. Every process with the role api or worker is stopped
//                       first. Killed at any time, it is finished by running it again.
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../src/config/config.ts'
import { enableFaultInjection, failpoint } from '../src/fault-injection/failpoint.ts'
import { masterKeyFile, newMasterKey, readKeyFile } from '../src/platform/master-key.ts'
import { listProcesses } from '../src/platform/process-registry/list-processes.ts'
import { readProcessInfo } from '../src/platform/process-registry/process-info.ts'
import { openRegistryDirectory } from '../src/platform/process-registry/registry-directory.ts'
import { rotateMasterKey } from '../src/services/master-key/rotate-master-key.ts'
import { createDatabase } from '../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { migrate } from '../src/storage/database/migrate.ts'
import { moveIntoPlaceSync } from '../src/storage/files/durable-files.ts'
import { readOrMakeSecretFile } from '../src/storage/files/secret-file.ts'
import { type Key, keyFromHex } from '../src/storage/secrets/keys.ts'
import { Refusal } from './refusal.ts'

async function rotateKey(config: Config): Promise<void> {
  const dataDir = resolve(config.BERTH_DATA_DIR)
  const from = presentKey(config, dataDir)
  await assertUnused(dataDir)
  const nextFile = join(dataDir, 'master-key.next')
  const to = keyFromHex(readOrMakeSecretFile(nextFile, newMasterKey))
  failpoint('rotation.step', 'next key written')
  const oldFile = keepOldKey(dataDir, from)
  failpoint('rotation.step', 'old key kept')
  const { accounts, values } = await withDatabase(config, dataDir, (database) =>
    rotateMasterKey(database, { from, to }),
  )
  // The database knows the new key now. Until this rename, another run of this command finds it in the next file.
  moveIntoPlaceSync(nextFile, masterKeyFile(dataDir))
  failpoint('rotation.step', 'key replaced')
  console.log(
    `The master key is ${to.id} now, in place of ${from.id}: ${accounts} accounts, ${values} secrets and versions sealed anew and opened.`,
  )
  console.log(
    `Back up ${masterKeyFile(dataDir)}. The old key is in ${oldFile}: backups of the database from before need it.`,
  )
  if (config.BERTH_MASTER_KEY)
    console.log(
      'BERTH_MASTER_KEY still holds the old key: set it to the new one, or take it out where this data directory is used.',
    )
}

function presentKey(config: Config, dataDir: string): Key {
  if (config.BERTH_MASTER_KEY) return keyFromHex(config.BERTH_MASTER_KEY)
  const key = readKeyFile(masterKeyFile(dataDir))
  if (key) return key
  throw new Refusal(
    `There is no master key to rotate: ${masterKeyFile(dataDir)} is missing, and BERTH_MASTER_KEY is not set. Restore it first.`,
  )
}

async function assertUnused(dataDir: string): Promise<void> {
  const { living } = await listProcesses(openRegistryDirectory(dataDir), '')
  const [other] = living.filter(({ roles }) => roles.some((role) => role !== 'ingress'))
  if (!other) return
  throw new Refusal(
    `Berth is running: ${readProcessInfo(other)}\nStop it first (Ctrl-C where it runs, or kill ${other.pid}), then rotate the key. Apps keep running.`,
  )
}

/** The old key is in no file only once nothing needs it: backups do. */
function keepOldKey(dataDir: string, old: Key): string {
  const date = new Date().toISOString().slice(0, 10)
  const file = join(dataDir, `master-key.old-${date}-${old.id}`)
  readOrMakeSecretFile(file, () => old.bytes.toString('hex'))
  return file
}

async function withDatabase<T>(
  config: Config,
  dataDir: string,
  work: (database: ReturnType<typeof createDatabase>) => Promise<T>,
): Promise<T> {
  await using undo = new AsyncDisposableStack()
  let url = config.DATABASE_URL
  if (!url) {
    const server = await startEmbeddedPostgres({ dataDir })
    undo.defer(() => server.stop())
    url = server.url
  }
  await migrate(url)
  const database = createDatabase({ url, poolSize: 2, applicationName: 'berth-key-rotation' })
  undo.defer(() => database.$disconnect())
  return await work(database)
}

try {
  const config = readConfig(process.env)
  if (config.BERTH_FAULT_INJECTION) enableFaultInjection(config.BERTH_FAULT_INJECTION)
  await rotateKey(config)
} catch (error) {
  console.error((error as Error).message)
  if (process.env.BERTH_LOG_LEVEL === 'debug') console.error(error)
  process.exitCode = 1
}
