// npm run reset             asks, then removes everything this installation made
// npm run reset -- --yes    does not ask
//   --keep-containers       for when their engine is gone for good
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import Docker from 'dockerode'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { startEmbeddedPostgres } from '../src/database/embedded.ts'

const config = readConfig(process.env)
const dataDir = resolve(config.BERTH_DATA_DIR)

/** A reset that cannot be done; its message says what to do instead. */
class Refusal extends Error {}

async function reset(): Promise<void> {
  if (config.DATABASE_URL) {
    throw new Refusal('DATABASE_URL is set. Reset clears only the embedded database; drop the other one yourself.')
  }
  if (!existsSync(dataDir)) return console.log('Nothing to reset: there is no data folder.')
  const installationId = existsSync(join(dataDir, 'postgres')) ? await readInstallation() : null
  if (!(await isConfirmed())) return console.log('Nothing was changed.')
  if (installationId && !process.argv.includes('--keep-containers')) await removeFromEngine(installationId)
  rmSync(dataDir, { recursive: true, force: true })
  console.log('Removed the data folder. npm start begins anew.')
}

/** What marks this installation's containers on the engine; refuses while a Berth uses the database. */
async function readInstallation(): Promise<string | null> {
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

async function isConfirmed(): Promise<boolean> {
  if (process.argv.includes('--yes')) return true
  if (!process.stdin.isTTY) throw new Refusal('Nobody is there to ask; npm run reset -- --yes does not.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(
    `Remove every app and environment of this installation, and ${dataDir}? [y/N] `,
  )
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
    console.log(`Removed ${containers.length} containers and ${networks.length} networks.`)
  } catch (error) {
    throw new Refusal(
      `The container engine did not take part, so nothing else was removed: ${(error as Error).message}`,
    )
  }
}

try {
  await reset()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}
