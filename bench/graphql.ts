import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
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

const APPS = 20
const ENVIRONMENTS = ['production', 'staging', 'preview']
const ROUNDS = 5
const SECONDS = 4
const WARM_UP_SECONDS = 10
const CONNECTIONS = 20

const MERCURIUS = join(import.meta.dirname, 'mercurius')
const AUTOCANNON = join(import.meta.dirname, '../node_modules/autocannon/autocannon.js')
const run = promisify(execFile)

const APP_FIELDS = 'id name slug type dockerPreset port useImage image createdAt updatedAt'
const ENV_FIELDS = 'id name cliEnvName status health createdAt'

/** Requests per second of a list of 20 apps, against Mercurius with JIT and hand-written SQL on the same database. */
export const benchGraphqlApps = (): Promise<BenchResult> =>
  bench(
    `GraphQL: ${APPS} apps, against Mercurius with JIT and hand-written SQL`,
    `{ apps(first: ${APPS}) { nodes { ${APP_FIELDS} } } }`,
  )

/** The same with the three environments of each app. */
export const benchGraphqlAppEnvs = (): Promise<BenchResult> =>
  bench(
    `GraphQL: ${APPS} apps with ${ENVIRONMENTS.length} environments each, against Mercurius with JIT and hand-written SQL`,
    `{ apps(first: ${APPS}) { nodes { id name appEnvs(first: 10) { nodes { ${ENV_FIELDS} } } } } }`,
  )

async function bench(name: string, query: string): Promise<BenchResult> {
  if (!existsSync(join(MERCURIUS, 'node_modules')))
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: MERCURIUS })
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir })
  const children: ChildProcess[] = []
  try {
    const { token, accountId } = await fill(postgres.url)
    const mercurius = await start(children, 'mercurius/server.js', postgres.url, accountId)
    const berth = await start(children, 'graphql-server.ts', postgres.url)
    await requireSameAnswer(mercurius, berth, token, query)
    return await compare(name, mercurius, berth, token, query)
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

async function compare(
  name: string,
  mercurius: Server,
  berth: Server,
  token: string,
  query: string,
): Promise<BenchResult> {
  // Node compiles a program of this size only after thousands of requests.
  for (const { port } of [mercurius, berth]) await load(port, token, query, WARM_UP_SECONDS)
  const theirs = await turns(mercurius, token, query)
  const ours = await turns(berth, token, query)
  for (let round = 0; round < ROUNDS; round += 1) {
    await theirs.take()
    await ours.take()
  }
  const [other, mine] = [await theirs.total(), await ours.total()]
  return {
    name,
    ratio: mine.perSecond / other.perSecond,
    aim: 1,
    better: 'higher',
    detail: `${mine.perSecond.toFixed(0)} against ${other.perSecond.toFixed(0)} req/s; medians of ${ROUNDS} turns, ${CONNECTIONS} connections; Mercurius asks for no token`,
    limitedBy: `the api’s one thread: ${mine.cpuMicros.toFixed(0)} µs of CPU per request against ${other.cpuMicros.toFixed(0)}. what is left is the HTTP layer, Pothos’s plan of each request, and what Mercurius does not do (token, limits, access log)`,
  }
}

/** One server's turns: its median speed, and the CPU time of one request. */
async function turns(server: Server, token: string, query: string) {
  const speeds: number[] = []
  const before = await cpuOf(server)
  return {
    take: async () => void speeds.push(await load(server.port, token, query, SECONDS)),
    async total() {
      const requests = speeds.reduce((sum, perSecond) => sum + perSecond * SECONDS, 0)
      return { perSecond: median(speeds), cpuMicros: ((await cpuOf(server)) - before) / requests }
    },
  }
}

/** A comparison of two servers that answer differently would say nothing. */
async function requireSameAnswer(mercurius: Server, berth: Server, token: string, query: string): Promise<void> {
  const answers = [mercurius, berth].map(async ({ port }) => {
    const headers = { 'content-type': 'application/json', authorization: token }
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    return JSON.stringify(await response.json())
  })
  const [theirs, ours] = await Promise.all(answers)
  if (theirs !== ours)
    throw new Error(`The two servers answer differently:\n${theirs?.slice(0, 500)}\n${ours?.slice(0, 500)}`)
}

async function fill(url: string): Promise<{ token: string; accountId: string }> {
  await migrate(url)
  const database = createDatabase({ url, poolSize: 2 })
  const token = newSecret('USER')
  await openInstallation(database, createVault(newKey()), readConfig({}), token)
  const { id: accountId } = await database.account.findFirstOrThrow()
  for (let index = 0; index < APPS; index += 1) {
    const appId = newId('app')
    const app = {
      id: appId,
      accountId,
      name: `App ${index}`,
      slug: `app-${index}`,
      port: 3000,
      useImage: true,
      image: 'nginx:1',
    }
    await database.app.create({ data: app })
    for (const slug of ENVIRONMENTS) {
      const cliEnvName = `default-app-${index}-${slug}`
      const names = { name: slug, slug, cliEnvName, deploymentName: cliEnvName }
      await database.appEnv.create({ data: { id: newId('env'), accountId, appId, regionCode: 'local', ...names } })
    }
  }
  await database.$executeRaw`VACUUM ANALYZE`
  await database.$disconnect()
  return { token, accountId }
}

async function start(children: ChildProcess[], program: string, ...args: string[]): Promise<Server> {
  // In production the access log is written to a file or a pipe; here nobody reads it.
  const child = fork(join(import.meta.dirname, program), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  children.push(child)
  const [port] = await once(child, 'message')
  return { child, port }
}

async function load(port: number, token: string, query: string, seconds: number): Promise<number> {
  const address = `http://127.0.0.1:${port}/graphql`
  const headers = ['-H', `Authorization: ${token}`, '-H', 'Content-Type: application/json']
  const args = [
    '--json',
    '-m',
    'POST',
    '-b',
    JSON.stringify({ query }),
    '-c',
    `${CONNECTIONS}`,
    '-d',
    `${seconds}`,
    ...headers,
    address,
  ]
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

if (import.meta.main) {
  console.log(await benchGraphqlApps())
  console.log(await benchGraphqlAppEnvs())
}
