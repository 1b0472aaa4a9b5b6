import type { Plugin } from 'graphql-yoga'
import { executionCounts } from '../../../src/api/graphql/execution/planned-execution.ts'
import { createGraphQL } from '../../../src/api/graphql/graphql.ts'
import { schema } from '../../../src/api/graphql/schema.ts'
import { createCredential } from '../../../src/services/credential/credential-commands.ts'
import { createGitHook } from '../../../src/services/git-hook/git-hook-commands.ts'
import { createServices } from '../../../src/services/services.ts'
import { createWebhook } from '../../../src/services/webhook/webhook-commands.ts'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { type ReadCounts, readerOf, withoutReader } from '../../../src/storage/database/reads/reader.ts'
import { createEventFeed } from '../../../src/storage/events/feed.ts'
import { drawOf } from '../../hostile/draw.ts'
import type { TestDatabase } from '../../support/database.ts'
import { receivedDelivery } from '../../support/git-delivery.ts'
import { createWorld, type World } from '../../support/world.ts'
import { type Drawn, drawDocument, type Pool } from './draw-document.ts'
import { fieldsAlone } from './fields-alone.ts'

export type ReadsWorld = Awaited<ReturnType<typeof createReadsWorld>>

export interface Compared {
  count: number
  /** Answers with data and without errors; with both; with errors only. */
  kinds: { fine: number; partial: number; refused: number }
  /** Whose fields fail in another order, and were compared one by one. */
  raced: number
  different: { index: number; drawn: Drawn; caller: string; expected: string; actual: string }[]
  counts: ReadCounts
  /** Operations that were executed by a plan, and as usual. */
  executed: { planned: number; asUsual: number }
}

/** One installation whose reads are answered in two ways: as production does, and by Prisma and graphql-js alone. */
export async function createReadsWorld(held?: TestDatabase) {
  const world = await createWorld(held ? { held } : {})
  const tokens = await fill(world)
  const pool = await poolOf(world)
  const now = doorOf(world, world.database)
  const plainDatabase = createDatabase({ url: world.url, poolSize: 10 })
  withoutReader(plainDatabase)
  const plain = doorOf(world, plainDatabase, { execution: [] })

  async function compare({
    seed,
    from = 0,
    count,
    atOnce = 20,
    stopsEarly = false,
    door = now,
  }: Campaign): Promise<Compared> {
    const compared: Compared = {
      count,
      kinds: { fine: 0, partial: 0, refused: 0 },
      different: [],
      raced: 0,
      counts: { byReader: 0, byPrisma: 0 },
      executed: { planned: 0, asUsual: 0 },
    }
    const before = { ...countsOf(world), ...executionCounts }
    for (let index = from; index < from + count; index += atOnce) {
      const batch = Array.from({ length: Math.min(atOnce, from + count - index) }, (_, offset) => index + offset)
      await Promise.all(batch.map((one) => compareOne(seed, one, compared, door)))
      if (stopsEarly && compared.different.length > 0) break
    }
    const after = countsOf(world)
    compared.counts = {
      byReader: after.byReader - before.byReader,
      byPrisma: after.byPrisma - before.byPrisma,
    }
    compared.executed = {
      planned: executionCounts.planned - before.planned,
      asUsual: executionCounts.asUsual - before.asUsual,
    }
    return compared
  }

  async function compareOne(seed: number, index: number, compared: Compared, door: Door): Promise<void> {
    const draw = drawOf(seed, index)
    const drawn = drawDocument(schema, pool, draw)
    const caller = draw.chance(0.5) ? 'admin' : draw.one(Object.keys(tokens))
    const token = tokens[caller] ?? ''
    const [actual, expected] = [await door.ask(drawn, token), await plain.ask(drawn, token)]
    let isSame = inOrder(actual) === inOrder(expected) || (await areOfOneKind(drawn, token, door))
    if (!isSame && actual.endsWith('"data":null}') && expected.endsWith('"data":null}')) {
      isSame = await areSameAlone(drawn, token, door)
      if (isSame) compared.raced += 1
    }
    if (!isSame) compared.different.push({ index, drawn, caller, expected, actual })
    const hasErrors = expected.includes('"errors":[')
    compared.kinds[hasErrors ? (/"data":\{/.test(expected) ? 'partial' : 'refused') : 'fine'] += 1
  }

  /**
   * Where fields at the top fail side by side, the one that fails first is the only error. Which one that is, the
   * database decides: both ways must be able to give one answer.
   */
  async function areOfOneKind(drawn: Drawn, token: string, door: Door): Promise<boolean> {
    const [byNow, byPlain] = [new Set<string>(), new Set<string>()]
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const answer = inOrder(await door.ask(drawn, token))
      if (!answer.endsWith('"data":null}')) return false
      byNow.add(answer)
      byPlain.add(inOrder(await plain.ask(drawn, token)))
      if ([...byNow].every((one) => byPlain.has(one))) return true
    }
    return false
  }

  /**
   * One way may be so much faster with a field that it always fails before its neighbour does, and never after it: then
   * each of the fields alone must be answered alike.
   */
  async function areSameAlone(drawn: Drawn, token: string, door: Door): Promise<boolean> {
    const fields = fieldsAlone(drawn)
    if (fields.length < 2) return false
    for (const field of fields) {
      const [actual, expected] = [await door.ask(field, token), await plain.ask(field, token)]
      if (inOrder(actual) !== inOrder(expected) && !(await areOfOneKind(field, token, door))) return false
    }
    return true
  }

  return {
    world,
    tokens,
    pool,
    now,
    plain,
    compare,
    doorOf: (options: { execution: Plugin[] }) => doorOf(world, world.database, options),
    async close() {
      await Promise.all([now.close(), plain.close()])
      await plainDatabase.$disconnect()
      await world.close()
    },
  }
}

const ATTEMPTS = 20

/** Errors of fields that are resolved side by side come in the order in which the database answers: in any. */
function inOrder(answer: string): string {
  const start = answer.indexOf('{')
  const body = JSON.parse(answer.slice(start))
  if (!(body.errors?.length > 1)) return answer
  const errors = body.errors.map((error: unknown) => JSON.stringify(error)).sort()
  return answer.slice(0, start) + JSON.stringify({ ...body, errors })
}

interface Campaign {
  seed: number
  /** Number of the first document, to repeat one. */
  from?: number
  count: number
  atOnce?: number
  /** Ends with the first documents that differ. */
  stopsEarly?: boolean
  /** What is compared with Prisma alone; the way of production when omitted. */
  door?: Door
}

const countsOf = ({ database }: World): ReadCounts => readerOf(database)?.counts ?? { byReader: 0, byPrisma: 0 }

type Door = ReturnType<typeof doorOf>

/** The GraphQL API without a port. Answers are texts with their status, so that they can be compared byte for byte. */
function doorOf(world: World, database: World['database'], options: { execution?: Plugin[] } = {}) {
  const { config, vault, wakeups, log, limits } = world
  const services = createServices({ database, config, vault, wakeups, limits })
  const feed = createEventFeed({ database, wakeups, config, log })
  const graphql = createGraphQL({ services, config, log, vault, feed, ...options })
  return {
    services,
    async ask(body: { query: string; variables?: Record<string, unknown> }, token: string): Promise<string> {
      const headers = { 'content-type': 'application/json', authorization: token }
      const request = new Request('http://berth.test/graphql', { method: 'POST', headers, body: JSON.stringify(body) })
      const response = await graphql.fetch(request, { requestId: 'req_test', address: '127.0.0.1' })
      return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
    },
    async close() {
      feed.close()
      await graphql.close()
    },
  }
}

/** Two accounts with apps, environments, versions and operations, and callers of every kind. */
async function fill(world: World): Promise<Record<string, string>> {
  const { accountId } = world
  const appEnvs: string[] = []
  for (let app = 0; app < 4; app += 1) {
    const { appEnvId, appId } = await world.appEnv({ app: { name: `App ${app} "quoted" \\ ünïcode 🙂` } })
    appEnvs.push(appEnvId)
    const staging = await world.appEnv({ appId, name: 'staging', ...(app === 1 ? { envVars: VARIABLES } : {}) })
    appEnvs.push(staging.appEnvId)
    for (let version = 0; version <= app; version += 1) await world.deploy(appEnvId, `nginx:${version}`)
  }
  const otherAccount = await world.account('other')
  const other = await world.appEnv({ accountId: otherAccount })
  await world.deploy(other.appEnvId)
  await world.perform(createCredential, {
    accountId,
    name: 'registry',
    type: 'BASIC_AUTH',
    data: { username: 'a', password: 'b' },
  })
  await world.perform(createWebhook, { accountId, name: 'Receiver', url: 'https://receiver.example.com/' })
  const gitHook = await world.perform(createGitHook, { accountId, provider: 'GITHUB', name: 'Hook' })
  await receivedDelivery(world, gitHook)
  const tokens: Record<string, string> = { admin: world.adminToken, nobody: '', invalid: 'berth_nonsense' }
  tokens.technical = (await world.user()).token
  tokens.restricted = (await world.user({ appEnvIds: appEnvs.slice(0, 3) })).token
  tokens.billing = (await world.user({ roles: ['BILLING'] })).token
  tokens.outsider = (await world.user({ accountId: otherAccount })).token
  tokens.environment = (await world.token({ kind: 'ENVIRONMENT', appEnvId: appEnvs[0] ?? '' })).token
  tokens.scoped = (await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })).token
  return tokens
}

const VARIABLES = [
  { name: 'PLAIN', value: 'text' },
  { name: 'SECRET', value: 'hush', isSecret: true },
]

async function poolOf({ database }: World): Promise<Pool> {
  const only = { select: { id: true } } as const
  const ids = {
    acc: await database.account.findMany(only),
    app: await database.app.findMany(only),
    env: await database.appEnv.findMany(only),
    con: await database.content.findMany(only),
    op: await database.operation.findMany(only),
    usr: await database.user.findMany(only),
    tok: await database.token.findMany(only),
    cred: await database.credential.findMany(only),
    hook: await database.webhook.findMany(only),
    ghook: await database.gitHook.findMany(only),
    gdlv: await database.gitDelivery.findMany(only),
    host: await database.host.findMany(only),
  }
  const byPrefix = Object.fromEntries(Object.entries(ids).map(([prefix, rows]) => [prefix, rows.map(({ id }) => id)]))
  const members = await database.membership.findMany()
  const named = await database.appEnv.findMany({ select: { cliEnvName: true } })
  const cursors = (prefix: string) => (byPrefix[prefix] ?? []).map((id) => encoded(`GPC:S:${id}`))
  const cursorsOf = {
    Account: cursors('acc'),
    App: cursors('app'),
    AppEnv: cursors('env'),
    Deployment: cursors('con'),
    Operation: cursors('op'),
    Member: members.map(({ accountId, userId }) => encoded(`GPC:T:["S:${accountId}","S:${userId}"]`)),
    // Lists of the services have cursors of their own: ids.
    Token: byPrefix.tok ?? [],
    Credential: byPrefix.cred ?? [],
    Webhook: byPrefix.hook ?? [],
    GitHook: byPrefix.ghook ?? [],
    GitDelivery: byPrefix.gdlv ?? [],
  }
  return { ids: byPrefix, envNames: named.map(({ cliEnvName }) => cliEnvName), cursorsOf }
}

const encoded = (text: string) => Buffer.from(text).toString('base64')
