import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '../src/config/config.ts'
import { createDatabase } from '../src/database/client.ts'
import { startEmbeddedPostgres } from '../src/database/embedded.ts'
import { migrate } from '../src/database/migrate.ts'
import { newId } from '../src/domain/ids.ts'
import { newKey } from '../src/secrets/keys.ts'
import { newSecret } from '../src/secrets/token-secret.ts'
import { createVault } from '../src/secrets/vault.ts'
import { openInstallation } from '../src/services/installation.ts'
import type { BenchResult } from './bench-result.ts'

const APPS = 100
const ROUNDS = 5
const SECONDS = 4
const CONNECTIONS = 20

const AUTOCANNON = join(import.meta.dirname, '../node_modules/autocannon/autocannon.js')
const run = promisify(execFile)

/**
 * Requests per second of GET /apps against plain node http + pg on the same database: an account with 100 apps. Both
 * servers and the load generator are separate processes, and the servers take turns.
 */
export async function benchRestApps(): Promise<BenchResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const children: ChildProcess[] = []
  try {
    const { token, accountId } = await fill(postgres.url)
    const reference = await start(children, 'rest-apps-reference.ts', postgres.url, accountId)
    const berth = await start(children, 'rest-apps-server.ts', postgres.url)
    return await compare(reference, berth, token)
  } finally {
    for (const child of children) child.kill()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

interface Server {
  child: ChildProcess
  port: number
}

async function compare(reference: Server, berth: Server, token: string): Promise<BenchResult> {
  for (const { port } of [reference, berth]) await load(port, token, 2)
  const theirs: number[] = []
  const ours: number[] = []
  const cpuBefore = await cpuOf(berth)
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await load(reference.port, token, SECONDS))
    ours.push(await load(berth.port, token, SECONDS))
  }
  const cpuMicros = (await cpuOf(berth)) - cpuBefore
  const perRequest = cpuMicros / ours.reduce((sum, perSecond) => sum + perSecond * SECONDS, 0)
  const [mine, other] = [median(ours), median(theirs)]
  return {
    name: 'REST GET /apps against plain node http + pg',
    ratio: mine / other,
    aim: 1,
    better: 'higher',
    detail: `${mine.toFixed(0)} against ${other.toFixed(0)} req/s; medians of ${ROUNDS} turns, ${APPS} apps, ${CONNECTIONS} connections; the reference asks for no token`,
    limitedBy: `the api’s one thread: ${perRequest.toFixed(0)} µs of CPU per request to read ${APPS} rows, turn them into JSON and write to both sockets`,
  }
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

async function start(children: ChildProcess[], program: string, ...args: string[]): Promise<Server> {
  const child = fork(join(import.meta.dirname, program), args)
  children.push(child)
  const [port] = await once(child, 'message')
  return { child, port }
}

async function load(port: number, token: string, seconds: number): Promise<number> {
  const address = `http://127.0.0.1:${port}/api/public/v1/apps`
  const args = ['--json', '-c', `${CONNECTIONS}`, '-d', `${seconds}`, '-H', `Authorization: ${token}`, address]
  const { stdout } = await run(process.execPath, [AUTOCANNON, ...args])
  const { requests, duration, non2xx, errors } = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 2xx, ${errors} requests failed`)
  return requests.total / duration
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu')
  const [{ user, system }] = await once(child, 'message')
  return user + system
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

if (import.meta.main) console.log(await benchRestApps())
