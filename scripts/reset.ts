// npm run reset             asks, then removes everything this installation made
// npm run reset -- --yes    does not ask
//   --keep-containers       for when their engine is gone for good
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import Docker from 'dockerode'
import pg from 'pg'
import { type Config, readConfig } from '../src/config/config.ts'
import { startEmbeddedPostgres } from '../src/database/embedded.ts'
import { removeFirewall } from '../src/platform/host-firewall/host-firewall.ts'
import { listProcesses } from '../src/platform/process-registry/list-processes.ts'
import { readProcessInfo } from '../src/platform/process-registry/process-info.ts'
import { openRegistryDirectory } from '../src/platform/process-registry/registry-directory.ts'

/** A reset that cannot be done; its message says what to do instead. */
class Refusal extends Error {}

async function reset(config: Config): Promise<void> {
  const dataDir = resolve(config.BERTH_DATA_DIR)
  if (config.DATABASE_URL) {
    throw new Refusal('DATABASE_URL is set. Reset clears only the embedded database; drop the other one yourself.')
  }
  if (!existsSync(dataDir)) return console.log('Nothing to reset: there is no data folder.')
  const hasDatabase = existsSync(join(dataDir, 'postgres'))
  // A mistyped BERTH_DATA_DIR must not delete other files.
  if (!hasDatabase && !existsSync(join(dataDir, 'master-key')) && readdirSync(dataDir).length > 0) {
    throw new Refusal(`${dataDir} is no data directory of Berth; nothing was changed.`)
  }
  await assertUnused(dataDir)
  const installationId = hasDatabase ? await readInstallation(dataDir) : null
  if (!(await isConfirmed(dataDir))) return console.log('Nothing was changed.')
  if (installationId && !process.argv.includes('--keep-containers')) await removeFromEngine(installationId)
  rmSync(dataDir, { recursive: true, force: true })
  console.log('Removed the data folder. The next npm start creates a new installation.')
}

async function assertUnused(dataDir: string): Promise<void> {
  const directory = openRegistryDirectory(dataDir)
  const [other] = (await listProcesses(directory, '')).living
  if (!other) return
  throw new Refusal(
    `Berth is running: ${readProcessInfo(other)}\nStop it first (Ctrl-C where it runs, or kill ${other.pid}), then reset.`,
  )
}

/** The id that marks this installation's containers on the engine; refuses while a Berth uses the database. */
async function readInstallation(dataDir: string): Promise<string | null> {
  const server = await startEmbeddedPostgres({ dataDir })
  const client = new pg.Client({ connectionString: server.url })
  try {
    if (await server.isShared()) throw new Refusal('Berth is running. Stop it first (Ctrl-C), then reset.')
    await client.connect()
    const { rows } = await client.query("SELECT to_regclass('installation') IS NOT NULL AS exists")
    if (!rows[0]?.exists) return null
    return (await client.query('SELECT id FROM installation')).rows[0]?.id ?? null
  } finally {
    await client.end()
    await server.stop()
  }
}

function configured(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    throw new Refusal((error as Error).message)
  }
}

async function isConfirmed(dataDir: string): Promise<boolean> {
  if (process.argv.includes('--yes')) return true
  if (!process.stdin.isTTY)
    throw new Refusal('Nobody is there to confirm it. To go ahead unasked: npm run reset -- --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl-C and Ctrl-D mean no.
  const closed = once(terminal, 'close').then(() => '')
  const question = `Remove every app and environment of this installation, and ${dataDir}? [y/N] `
  const answer = await Promise.race([terminal.question(question).catch(() => ''), closed])
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function removeFromEngine(installationId: string): Promise<void> {
  const docker = new Docker()
  const filters = { label: [`berth.installation=${installationId}`] }
  try {
    const containers = await docker.listContainers({ all: true, filters })
    await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
    const networks = await docker.listNetworks({ filters })
    await Promise.all(networks.map(({ Id }) => docker.getNetwork(Id).remove()))
    // Only those that were built for this installation have its label; the next one could not use them.
    const images = await docker.listImages({ filters })
    await Promise.all(images.map(({ Id }) => docker.getImage(Id).remove({ force: true })))
    console.log(
      `Removed ${containers.length} containers, ${networks.length} networks and ${images.length} built images.`,
    )
    await removeFirewall(installationId)
  } catch (error) {
    throw new Refusal(
      `The container engine did not take part, so the data directory was kept: ${(error as Error).message}\n` +
        'Start the engine and reset again; if it is gone for good: npm run reset -- --keep-containers',
    )
  }
}

try {
  await reset(configured())
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}
