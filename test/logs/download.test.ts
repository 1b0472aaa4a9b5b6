import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { revokeToken } from '../../src/services/token/token-commands.ts'
import { append, claimLogStream } from '../../src/worker/logs/log-stream.ts'
import { readGraphQL, readMcp, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n
const SECOND = 1_000_000_000n
const MAX_LINES = 5_000

let world: World
let served: Served
let appEnvId: string
let other: string

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_LOG_DOWNLOAD_LINES: String(MAX_LINES) } })
  served = serveWorld(world)
  appEnvId = (await world.appEnv()).appEnvId
  other = (await world.appEnv()).appEnvId
  await say(appEnvId, 1_300, (n) => (n % 100 === 0 ? `level=error n=${n}` : `level=info n=${n}`))
  await say(other, 700, (n) => `other n=${n}`)
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

/** Lines a second apart, in the reverse of the order in which they are written: files are in the order of time. */
async function say(id: string, count: number, messageOf: (n: number) => string): Promise<void> {
  const owner = { owner: 'worker-1', leaseSeconds: 60, isForced: true }
  const stream = await claimLogStream(world.database, { appEnvId: id, kind: 'CONTAINERS' }, owner)
  if (!stream) throw new Error('The log stream is already claimed')
  const row = { appEnvId: id, containerId: `c-${id}`, contentId: 'con_1', name: `c-${id}`, phase: 'running' }
  const { id: containerId } = await world.database.container.create({ data: row })
  const lines = Array.from({ length: count }, (_, n) => ({
    containerId,
    at: NOON + BigInt(n) * SECOND,
    isError: false,
    message: messageOf(n),
    level: messageOf(n).startsWith('level=error') ? ('ERROR' as const) : null,
  }))
  await append(world.database, stream, lines.reverse(), [])
}

const linkOf = async (query: Record<string, string>, token = world.adminToken): Promise<string> => {
  const { body, code } = await readRest(served, token, 'getLogsDownload', query)
  if (code) throw new Error(`${code}: ${body.message}`)
  return String(body.url)
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length)
const get = (url: string, headers: Record<string, string> = {}) => served.app.request(pathOf(url), { headers })
const messagesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).message as string)

test('is the whole log, oldest line first, with the fields that the log shows', async () => {
  const response = await get(await linkOf({ appEnvId }))
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="[a-z0-9-]+-2\d{3}-\d\d-\d\dT\d{4}\.ndjson"$/,
  )
  const text = await response.text()
  expect(messagesOf(text)).toEqual(
    Array.from({ length: 1_300 }, (_, n) => (n % 100 === 0 ? `level=error n=${n}` : `level=info n=${n}`)),
  )
  const { body } = await readRest(served, world.adminToken, 'listLogs', { appEnvId, size: '1' })
  expect(JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')).toEqual(body.logs[0])
})

test('has the lines that the filters leave', async () => {
  const errors = await (await get(await linkOf({ appEnvId, level: 'ERROR,FATAL' }))).text()
  expect(messagesOf(errors)).toHaveLength(13)
  const found = await (await get(await linkOf({ appEnvId, search: 'n=77' }))).text()
  expect(messagesOf(found)).toEqual(
    ['n=77', ...Array.from({ length: 10 }, (_, n) => `n=77${n}`)].map((n) => `level=info ${n}`),
  )
  const times = { from: '2026-11-20T12:00:10Z', to: '2026-11-20T12:00:12Z' }
  const text = await (await get(await linkOf({ appEnvId, ...times, format: 'text' }))).text()
  expect(text).toBe(
    [10, 11, 12].map((n) => `2026-11-20T12:00:${n}.000Z c-${appEnvId} stdout level=info n=${n}\n`).join(''),
  )
})

test('is of several environments in the order of time', async () => {
  const query = new URLSearchParams([
    ['appEnvIds', appEnvId],
    ['appEnvIds', other],
  ])
  const asked = await served.app.request(`/api/public/v1/logs/download?${query}`, {
    headers: { authorization: world.adminToken },
  })
  const response = await get((await asked.json()).url)
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; appEnvId: string })
  expect(lines).toHaveLength(2_000)
  const times = lines.map(({ id }) => BigInt(id.split('.')[0] ?? ''))
  expect(times).toEqual([...times].sort((one, two) => (one < two ? -1 : one > two ? 1 : 0)))
  expect(new Set(lines.map((line) => line.appEnvId + line.id)).size).toBe(2_000)
})

test('is compressed as a file, or on the way', async () => {
  const plain = await (await get(await linkOf({ appEnvId }))).text()
  const file = await get(await linkOf({ appEnvId, zipped: 'true' }))
  expect(file.headers.get('content-type')).toBe('application/gzip')
  expect(file.headers.get('content-disposition')).toMatch(/\.ndjson\.gz"$/)
  expect(gunzipSync(Buffer.from(await file.arrayBuffer())).toString()).toBe(plain)
  const onTheWay = await get(await linkOf({ appEnvId }), { 'accept-encoding': 'gzip, br' })
  expect(onTheWay.headers.get('content-encoding')).toBe('gzip')
  expect(gunzipSync(Buffer.from(await onTheWay.arrayBuffer())).toString()).toBe(plain)
})

test('every API answers with such an address', async () => {
  const rest = await linkOf({ appEnvId })
  const { body: tool } = await readMcp(served, world.adminToken, 'getLogsDownload', { appEnvId })
  const { body } = await readGraphQL(
    served,
    world.adminToken,
    `logsDownload(appEnvId: "${appEnvId}", level: [ERROR]) { url expiresAt }`,
  )
  expect(messagesOf(await (await get(body.url)).text())).toHaveLength(13)
  for (const url of [rest, tool.url]) expect(messagesOf(await (await get(url)).text())).toHaveLength(1_300)
  expect(new Date(body.expiresAt).getTime() - Date.now()).toBeGreaterThan(800_000)
})

test('over the limit of lines it ends with one that says from where to continue', async () => {
  const long = (await world.appEnv()).appEnvId
  await say(long, MAX_LINES + 10, (n) => `n=${n}`)
  const lines = (await (await get(await linkOf({ appEnvId: long }))).text()).trimEnd().split('\n')
  expect(lines).toHaveLength(MAX_LINES + 1)
  const { continueFrom, truncatedAfter } = JSON.parse(lines.at(-1) ?? '')
  expect(truncatedAfter).toBe(`${MAX_LINES} lines`)
  const rest = await (await get(await linkOf({ appEnvId: long, from: continueFrom }))).text()
  expect(messagesOf(rest)).toEqual(Array.from({ length: 10 }, (_, n) => `n=${MAX_LINES + n}`))
})

test('an address that was changed, has expired or lost its token leads nowhere', async () => {
  const { token, tokenId } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const url = await linkOf({ appEnvId }, token)
  expect((await get(url)).status).toBe(200)
  const changed = new URL(url)
  const asked = JSON.parse(Buffer.from(changed.searchParams.get('asked') ?? '', 'base64url').toString())
  changed.searchParams.set('asked', Buffer.from(JSON.stringify({ ...asked, appEnvId: other })).toString('base64url'))
  expect((await get(changed.href)).status).toBe(404)
  const later = new URL(url)
  later.searchParams.set('expires', String(Number(later.searchParams.get('expires')) + 1))
  expect((await get(later.href)).status).toBe(404)
  await world.perform(revokeToken, { tokenId })
  expect((await get(url)).status).toBe(404)
  await expect(
    linkOf({ appEnvId: other }, (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token),
  ).rejects.toThrow('FORBIDDEN')
})

test('an environment that is deleted has no file any more', async () => {
  const { appEnvId: gone } = await world.appEnv()
  await say(gone, 1, () => 'last')
  const url = await linkOf({ appEnvId: gone })
  expect((await get(url)).status).toBe(200)
  await world.perform(deleteAppEnv, { appEnvId: gone })
  expect((await get(url)).status).toBe(404)
})

test('a token reads a few files at once; HEAD counts for nothing', async () => {
  const long = (await world.appEnv()).appEnvId
  await say(long, MAX_LINES, (n) => `n=${n}`)
  const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId: long })
  const url = await linkOf({ appEnvId: long }, token)
  for (let count = 0; count < 5; count += 1)
    expect((await served.app.request(pathOf(url), { method: 'HEAD' })).status).toBe(200)
  const open = [await get(url), await get(url), await get(url)]
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200])
  const refused = await get(url)
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ reason: 'TOO_MANY_DOWNLOADS' })
  await Promise.all(open.map(({ body }) => body?.cancel()))
  await expect.poll(async () => (await get(url)).status).toBe(200)
})
