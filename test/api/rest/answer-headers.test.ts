import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/domain/ids.ts'
import { downloadBackup } from '../../../src/services/backup/download-backup.ts'
import { requestStorageKey } from '../../../src/services/upload/request-storage-key.ts'
import { sourceFiles } from '../../structure/source-files.ts'
import { type Served, serveWorld } from '../../support/serve-world.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let served: Served

beforeAll(async () => {
  const settings = { BERTH_RATE_LIMIT: '10000000', BERTH_ANONYMOUS_RATE_LIMIT: '10000000' }
  world = await createWorld({ settings })
  served = serveWorld(world)
})
afterAll(async () => {
  await served?.close()
  await world?.close()
})

/** What an answer lacks of the headers that every answer has. */
function missing({ headers }: Response): string[] {
  const policy = headers.get('content-security-policy') ?? ''
  return [
    ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['X-Content-Type-Options']),
    ...(/default-src 'none'/.test(policy) && /frame-ancestors/.test(policy) ? [] : ['Content-Security-Policy']),
    ...['x-frame-options', 'referrer-policy', 'cross-origin-resource-policy', 'cache-control', 'x-request-id'].filter(
      (name) => !headers.has(name),
    ),
  ]
}

const pathOf = (address: string) => address.slice(new URL(address).origin.length)

/** Answers that are no JSON of a route, each by a request that succeeds: downloads, exports, streams, schemas. */
const SUCCESSES: Readonly<Record<string, () => Promise<[string, RequestInit]>>> = {
  'download of a backup': async () => {
    const { appEnvId } = await world.appEnv()
    const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: String(appEnvId) } })
    const account = await world.database.account.findUniqueOrThrow({ where: { id: world.accountId } })
    const id = newId('bak')
    await world.database.backup.create({
      data: {
        id,
        accountId: world.accountId,
        appEnvId: String(appEnvId),
        cliEnvName,
        presetVersion: 'POSTGRESQL_18',
        operationId: newId('op'),
        kind: 'MANUAL',
        status: 'AVAILABLE',
        file: 'a',
        sizeBytes: 1n,
        sealedKey: world.vault.forAccount(account).sealBackupKey(id, Buffer.alloc(32, 1)),
      },
    })
    return [pathOf((await world.perform(downloadBackup, { backupKey: id })).downloadUrl), {}]
  },
  'upload of an archive': async () => {
    const app = { useImage: false, image: undefined, isCliDeployment: true }
    const { appEnvId } = await world.appEnv({ app })
    const { uploadUrl } = await world.perform(requestStorageKey, { appEnvId })
    return [pathOf(uploadUrl), { method: 'PUT', body: 'an archive' }]
  },
  'export of the audit log': async () => [
    `/api/public/v1/account/audit?accountId=${world.accountId}&format=csv`,
    { headers: { accept: 'text/csv' } },
  ],
  'answer of GraphQL': async () => ['/graphql', graphql('{ __typename }')],
  'schema of GraphQL': async () => ['/graphql', graphql('{ __schema { queryType { name } } }')],
  'stream of GraphQL': async () => [
    '/graphql',
    { ...graphql(`subscription { accountEvents(accountId: "${world.accountId}") { __typename } }`), headers: STREAM },
  ],
  'page of GraphQL': async () => ['/graphql', { headers: { accept: 'text/html' } }],
}
const STREAM = { accept: 'text/event-stream', 'content-type': 'application/json' }
const graphql = (query: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
})

test.each(Object.keys(SUCCESSES))('the %s has every header', async (what) => {
  const [path, init] = (await SUCCESSES[what]?.()) ?? ['', {}]
  const headers = { authorization: world.adminToken, ...init.headers }
  const answer = await served.app.request(path, { ...init, headers })
  await answer.body?.cancel()
  expect(answer.status).toBe(200)
  expect(missing(answer)).toEqual([])
})

test('every route answers with the headers, to callers and to others', async () => {
  const wrong: string[] = []
  let [cells, successes] = [0, 0]
  const routes = served.app.routes.filter(({ path }) => path !== '/*')
  const calls = new Set(
    routes.flatMap(({ method, path }) =>
      (method === 'ALL' ? ['GET', 'POST'] : [method]).map((one) => `${one} ${path}`),
    ),
  )
  for (const call of calls) {
    const [method = '', pattern = ''] = call.split(' ')
    const path = pattern.replace(/:\w+(\{[^}]*\})?/g, 'x').replace(/\*/g, 'x')
    for (const token of [world.adminToken, null]) {
      cells += 1
      const isRead = method === 'GET' || method === 'HEAD'
      const answer = await served.app.request(isRead ? path : `${path}?dryRun=true`, {
        method,
        headers: { ...(token ? { authorization: token } : {}), 'content-type': 'application/json' },
        ...(isRead ? {} : { body: '{}' }),
      })
      await answer.body?.cancel()
      if (answer.ok) successes += 1
      const lacks = missing(answer)
      if (lacks.length > 0) wrong.push(`${call} (${answer.status}): ${lacks.join(', ')}`)
    }
  }
  console.info(`answer headers: ${calls.size} routes, ${cells} answers, ${successes} of them successes`)
  expect(wrong).toEqual([])
})

/** Modules that make an answer themselves, and where it gets the headers. */
const MADE: Readonly<Record<string, string>> = {
  'src/api/graphql/graphiql/page.ts': 'withRequestHeaders, and a policy of its own',
  'src/api/graphql/graphql.ts': 'withRequestHeaders',
  'src/api/graphql/transport/json-post.ts': 'withRequestHeaders',
  'src/api/graphql/transport/persisted-query.ts': 'withRequestHeaders',
  'src/api/graphql/transport/sse.ts': 'withRequestHeaders',
  'src/api/http/context.ts': 'here they come from',
  'src/api/oauth/mount-oauth.ts': 'sets them on the connection',
  'src/api/server/listen.ts': 'writes them for a connection too many',
  'src/api/server/short-way.ts': 'writes those of the request',
  'src/services/sign-in/company-provider.ts': 'no answer of ours',
}

test('an answer is made in one place, or said here how it gets its headers', () => {
  const making =
    /\bc\.(body|json|redirect|html|text|newResponse)\(|new Response\(|Response\.(json|redirect)\(|\.writeHead\(/
  const found = sourceFiles()
    .filter(({ path }) => !path.startsWith('src/ingress/'))
    .filter(({ absolutePath }) => making.test(readFileSync(absolutePath, 'utf8')))
    .map(({ path }) => path)
  expect(found).toEqual(Object.keys(MADE).toSorted())
})
