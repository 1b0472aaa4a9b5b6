// npm run reset             lists everything this installation made, asks, and deletes it: also volumes, with their data
// npm run reset -- --yes    does not ask
//   --keep-volumes          leaves the volumes on the engine; no later installation uses them
//   --keep-containers       leaves everything on the engine, for when that is gone for good
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import Docker from 'dockerode'
import pg from 'pg'
import { type Config, readConfig } from '../src/config/config.ts'
import { removeFirewall } from '../src/platform/host-firewall/host-firewall.ts'
import { listProcesses } from '../src/platform/process-registry/list-processes.ts'
import { readProcessInfo } from '../src/platform/process-registry/process-info.ts'
import { openRegistryDirectory } from '../src/platform/process-registry/registry-directory.ts'
import { startEmbeddedPostgres } from '../src/storage/database/embedded.ts'
import { KINDS, type Leftover, LostCount, leftovers } from './engine-leftovers.ts'
import { Refusal } from './refusal.ts'

const NAMES_SHOWN = 5
/** In every data directory, from the first moments of a first start. */
const OWN_FILES = ['postgres', 'master-key', 'admin-token']

async function reset(config: Config): Promise<void> {
  const dataDir = resolve(config.BERTH_DATA_DIR)
  if (config.DATABASE_URL) {
    throw new Refusal('DATABASE_URL is set. Reset clears only the embedded database; drop the other one yourself.')
  }
  if (!existsSync(dataDir)) return console.log('Nothing to reset: there is no data folder.')
  const hasDatabase = existsSync(join(dataDir, 'postgres'))
  // A mistyped BERTH_DATA_DIR must not delete other files. A first start that was killed has made some of these alone.
  const isOurs = OWN_FILES.some((name) => existsSync(join(dataDir, name)))
  if (!isOurs && readdirSync(dataDir).length > 0) {
    throw new Refusal(`${dataDir} is no data directory of Berth; nothing was changed.`)
  }
  await assertUnused(dataDir)
  const installation = hasDatabase ? await readInstallation(dataDir) : null
  const onEngine = installation && !isGiven('--keep-containers') ? await findOnEngine(installation) : []
  const goes = onEngine.filter(({ kind, name }) => !(kind === 'volume' && !isMark(name) && isGiven('--keep-volumes')))
  const stays = onEngine.filter((one) => !goes.includes(one))
  console.log(inventory({ dataDir, goes, stays, engines: installation?.engines ?? [] }))
  if (!(await isConfirmed())) return console.log('Nothing was changed.')
  if (installation) await removeFromEngine(installation.id, goes)
  rmSync(dataDir, { recursive: true, force: true })
  console.log('Deleted. The next npm start creates a new installation.')
}

const isGiven = (option: '--yes' | '--keep-volumes' | '--keep-containers') => process.argv.includes(option)

async function assertUnused(dataDir: string): Promise<void> {
  const directory = openRegistryDirectory(dataDir)
  const [other] = (await listProcesses(directory, '')).living
  if (!other) return
  throw new Refusal(
    `Berth is running: ${readProcessInfo(other)}\nStop it first (Ctrl-C where it runs, or kill ${other.pid}), then reset.`,
  )
}

interface Installation {
  /** Marks what it has on the engine. */
  id: string
  /** Addresses of regions' own engines. */
  engines: string[]
  /** Of its own marks on engines. A copy of this data directory has the same id, and other marks. */
  nonces: string[]
}

/** Null before the first migration; refuses while a Berth uses the database. */
async function readInstallation(dataDir: string): Promise<Installation | null> {
  const server = await startEmbeddedPostgres({ dataDir })
  const client = new pg.Client({ connectionString: server.url })
  try {
    if (await server.isShared()) throw new Refusal('Berth is running. Stop it first (Ctrl-C), then reset.')
    await client.connect()
    const { rows } = await client.query("SELECT to_regclass('installation') IS NOT NULL AS exists")
    if (!rows[0]?.exists) return null
    const id = (await client.query('SELECT id FROM installation')).rows[0]?.id
    const regions = await client.query(
      // Installations of an older Berth have no such column.
      "SELECT engine FROM (SELECT to_jsonb(region) ->> 'engine' AS engine FROM region) AS r WHERE engine IS NOT NULL",
    )
    const hasMarks = (await client.query("SELECT to_regclass('engine_mark') IS NOT NULL AS exists")).rows[0]?.exists
    const marks = hasMarks ? (await client.query<{ nonces: string[] }>('SELECT nonces FROM engine_mark')).rows : []
    const nonces = marks.flatMap((mark) => mark.nonces)
    return id ? { id, engines: regions.rows.map(({ engine }) => engine), nonces } : null
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

/** A mark says which Berth works on the engine, and holds no data. */
const isMark = (volume: string): boolean => /-mark-[0-9a-f]+$/.test(volume)

/** Refuses where another Berth with the same id works on the engine: what is there is that one's. */
async function findOnEngine({ id, nonces }: Installation): Promise<Leftover[]> {
  const docker = new Docker()
  const label = [`berth.installation=${id}`]
  try {
    const { Volumes } = await docker.listVolumes({ filters: { label: [...label, 'berth.role=mark'] } })
    const foreign = (Volumes ?? []).find(({ Labels }) => !nonces.includes(Labels['berth.nonce'] ?? ''))
    if (!foreign) return await leftovers(docker, { label })
    throw new Refusal(
      `The containers with the id of this installation are those of another Berth (${foreign.Labels['berth.holder']}): ` +
        'this data directory is a copy of its, or it was restored from a backup. Nothing was changed.\n' +
        'To delete the data directory alone: npm run reset -- --keep-containers. ' +
        'To delete the containers too: npm run engine:take-over, and reset again.',
    )
  } catch (error) {
    throw error instanceof Refusal ? error : engineFailed(error)
  }
}

interface Inventory {
  dataDir: string
  goes: Leftover[]
  stays: Leftover[]
  engines: string[]
}

const WORDS: Record<Leftover['kind'], string> = {
  container: 'containers',
  image: 'built images',
  network: 'networks',
  volume: 'volumes with their data',
}

/** What will be gone, in the words of the question that follows. */
function inventory({ dataDir, goes, stays, engines }: Inventory): string {
  const line = (all: Leftover[], kind: Leftover['kind']) => {
    const names = all.filter((one) => one.kind === kind).map(({ name }) => name.replace(/^\//, ''))
    const shown = names.slice(0, NAMES_SHOWN).join(', ')
    const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : ''
    return names.length === 0 ? [] : [`  ${names.length} ${WORDS[kind]}: ${shown}${more}`]
  }
  return [
    'This deletes every app and environment of this installation, for good:',
    ...KINDS.flatMap((kind) => line(goes, kind)),
    `  the data folder ${dataDir}: database, master key, admin token, and files in it`,
    ...(stays.length > 0
      ? ['These stay on the engine, and no later installation uses them:', ...line(stays, 'volume')]
      : []),
    ...(engines.length > 0 ? [`What runs on engines of regions stays there: ${engines.join(', ')}`] : []),
  ].join('\n')
}

async function isConfirmed(): Promise<boolean> {
  if (isGiven('--yes')) return true
  if (!process.stdin.isTTY)
    throw new Refusal('Nothing was changed, because nobody can confirm it here. To go ahead: npm run reset -- --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl-C and Ctrl-D mean no.
  const closed = once(terminal, 'close').then(() => '')
  const answer = await Promise.race([terminal.question('Delete it? [y/N] ').catch(() => ''), closed])
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** One kind after the other: what a container uses cannot go before it. */
async function removeFromEngine(installationId: string, goes: Leftover[]): Promise<void> {
  try {
    for (const kind of KINDS) await Promise.all(goes.filter((one) => one.kind === kind).map(removeOrWarn))
    await removeFirewall(installationId)
  } catch (error) {
    throw engineFailed(error)
  }
}

/** What the engine cannot remove before it restarts holds no data, and must not keep the rest. */
async function removeOrWarn({ remove }: Leftover): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (!(error instanceof LostCount)) throw error
    console.warn(error.message)
  }
}

const engineFailed = (error: unknown) =>
  new Refusal(
    `The container engine did not take part, so the data folder was kept: ${(error as Error).message}\n` +
      'Start the engine and reset again; if it is gone for good: npm run reset -- --keep-containers',
  )

try {
  await reset(configured())
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}
