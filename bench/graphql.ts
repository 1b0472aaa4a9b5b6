import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '../src/config/config.ts'
import { newId } from '../src/domain/ids.ts'
import { openInstallation } from '../src/services/installation.ts'
import { createDatabase } from '../src/storage/database/client.ts'
import { migrate } from '../src/storage/database/migrate.ts'
import { newKey } from '../src/storage/secrets/keys.ts'
import { newSecret } from '../src/storage/secrets/token-secret.ts'
import { createVault } from '../src/storage/secrets/vault.ts'
import type { BenchResult } from './bench-result.ts'
import { HOW, interleaved, inWords, type Server, withServers } from './interleaved.ts'

const APPS = 20
const ENVIRONMENTS = ['production', 'staging', 'preview']

const REFERENCES = join(import.meta.dirname, 'references')
const run = promisify(execFile)

const APP_FIELDS = 'id name slug type dockerPreset port useImage image createdAt updatedAt'
const ENV_FIELDS = 'id name cliEnvName status health createdAt'

const APPS_QUERY = `{ apps(first: ${APPS}) { nodes { ${APP_FIELDS} } } }`
const APP_ENVS_QUERY = `{ apps(first: ${APPS}) { nodes { id name appEnvs(first: 10) { nodes { ${ENV_FIELDS} } } } } }`

/** Requests per second of a list of 20 apps, against Mercurius with JIT and hand-written SQL on the same database. */
export const benchGraphqlApps = (): Promise<BenchResult[]> => againstMercurius(`${APPS} apps`, APPS_QUERY)

/** The same with the three environments of each app. */
export const benchGraphqlAppEnvs = (): Promise<BenchResult[]> =>
  againstMercurius(`${APPS} apps with ${ENVIRONMENTS.length} environments each`, APP_ENVS_QUERY)

/** Parts of a read that could be left out: each is kept for what it saves, which is measured here (ADR 87). */
const LEFT_OUT = {
  'short way': 'through a Request, a router and a Response, as other requests go',
  plans: 'by the executor of graphql-js',
  reader: 'by Prisma',
}

/** The same lists, against Berth itself without one part of its reads each. */
export function benchReadParts(): Promise<BenchResult[]> {
  return withServers(async (url, start) => {
    const { token } = await fill(url)
    const berth = await start('graphql-server.ts', url)
    const others: Record<string, Server> = {}
    for (const [part, how] of Object.entries(LEFT_OUT))
      others[`Berth without its ${part}: ${how}`] = await start('graphql-server.ts', url, part)
    const flat = await compare(`${APPS} apps`, APPS_QUERY, token, berth, others)
    const nested = await compare(`${APPS} apps with their environments`, APP_ENVS_QUERY, token, berth, others)
    return [...flat, ...nested]
  })
}

/** The least that a GraphQL server can be asked: what one request costs before any field. */
export async function benchGraphqlTypename(): Promise<BenchResult[]> {
  await installReferences()
  return withServers(async (url, start) => {
    const { token } = await fill(url)
    const berth = await start('graphql-server.ts', url)
    const apollo = await start('references/apollo.js')
    return compare('{ __typename }', '{ __typename }', token, berth, {
      'Apollo Server, which asks for no token': apollo,
    })
  })
}

async function againstMercurius(what: string, query: string): Promise<BenchResult[]> {
  await installReferences()
  return withServers(async (url, start) => {
    const { token, accountId } = await fill(url)
    const berth = await start('graphql-server.ts', url)
    return compare(what, query, token, berth, {
      'Mercurius with JIT and hand-written SQL, which asks for no token': await start(
        'references/mercurius.js',
        url,
        accountId,
      ),
      'the same Mercurius with the same look-up of the token': await start(
        'references/mercurius.js',
        url,
        accountId,
        'token',
      ),
    })
  })
}

/** One result for each reference, of the same turns. */
async function compare(
  what: string,
  query: string,
  token: string,
  berth: Server,
  references: Record<string, Server>,
): Promise<BenchResult[]> {
  const load = { path: '/graphql', token, body: { query } }
  const answers = await Promise.all([berth, ...Object.values(references)].map(({ port }) => ask(port, load)))
  // A comparison of servers that answer differently would say nothing.
  if (new Set(answers).size > 1) {
    const beginnings = answers.map((answer) => `${answer.length} characters, from ${answer.slice(0, 300)}`)
    throw new Error(`The servers answer differently:\n${beginnings.join('\n')}`)
  }
  const [ours, ...theirs] = await interleaved([berth, ...Object.values(references)], load)
  if (!ours) throw new Error('Nothing was measured')
  return Object.keys(references).map((name, index) => {
    const other = theirs[index] ?? ours
    const cpu = other.cpuMicros.median / ours.cpuMicros.median
    return {
      name: `GraphQL: ${what}, against ${name}`,
      ratio: ours.perSecond.median / other.perSecond.median,
      aim: 1,
      better: 'higher' as const,
      detail: `${cpu.toFixed(2)} × by CPU; ${inWords(ours)}, against ${inWords(other)}; ${HOW}`,
      limitedBy: 'the api’s one thread: what the reference does not do (limits, metrics, access log, permissions)',
    }
  })
}

async function installReferences(): Promise<void> {
  if (existsSync(join(REFERENCES, 'node_modules/@apollo/server'))) return
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: REFERENCES })
}

async function ask(port: number, { token, body }: { token: string; body: unknown }): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: token }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  return JSON.stringify(await (await fetch(`http://127.0.0.1:${port}/graphql`, request)).json())
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
