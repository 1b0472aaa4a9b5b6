import { afterAll, beforeAll, expect, test } from 'vitest'
import { structuredLevel } from '../../src/domain/structured-line.ts'
import { append, claimLogStream } from '../../src/worker/logs/log-stream.ts'
import { readGraphQL, readMcp, readRest } from '../parity/read-apis.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n

let world: World
let served: Served
let appId: string
let envs: string[]

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const first = await world.appEnv()
  appId = first.appId
  envs = [first.appEnvId, (await world.appEnv()).appEnvId, (await world.appEnv()).appEnvId]
  // Lines of one nanosecond in all of them, five times.
  for (const [place, appEnvId] of envs.entries())
    await say(
      appEnvId,
      Array.from({ length: 5 }, (_, n) => [
        NOON + BigInt(n),
        `level=${place === 1 ? 'error' : 'info'} env=${place} n=${n}`,
      ]),
    )
})
afterAll(async () => {
  await served?.close()
  await world?.close()
})

async function say(appEnvId: string, lines: [at: bigint, message: string][]): Promise<void> {
  const stream = await claimLogStream(
    world.database,
    { appEnvId, kind: 'CONTAINERS' },
    { owner: 'worker-1', leaseSeconds: 60, isForced: true },
  )
  if (!stream) throw new Error('The log stream is already claimed')
  const row = { appEnvId, contentId: 'con_1', name: `c-${appEnvId}`, phase: 'running' }
  const { id: containerId } = await world.database.container.upsert({
    where: { containerId: `c-${appEnvId}` },
    create: { containerId: `c-${appEnvId}`, ...row },
    update: {},
  })
  const level = (message: string) => structuredLevel(message)
  const written = lines.map(([at, message]) => ({ containerId, at, isError: false, message, level: level(message) }))
  for (let start = 0; start < written.length; start += 5_000)
    await append(world.database, stream, written.slice(start, start + 5_000), [])
}

interface Line {
  appEnvId: string
  containerName: string
  message: string
}

/** All pages, of so many lines. */
async function readAll(query: Record<string, string>, size: string, token = world.adminToken): Promise<Line[]> {
  const lines: Line[] = []
  for (let cursor: string | undefined, pages = 0; pages < 50; pages += 1) {
    const { body, code } = await readRest(served, token, 'listLogs', { ...query, size, ...(cursor ? { cursor } : {}) })
    expect(code).toBeNull()
    lines.push(...body.logs)
    cursor = body.nextCursor
    if (!cursor) return lines
  }
  throw new Error('The pages have no end')
}

test('lines of several environments come in the order of time, none twice and none left out, whatever the page size', async () => {
  const several = { appEnvIds: envs.join(',') }
  const all = await readAll(several, '1000')
  expect(all).toHaveLength(15)
  const numbers = all.map(({ message }) => Number(/n=(\d)/.exec(message)?.[1]))
  expect(numbers).toEqual([4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0])
  for (const { appEnvId, containerName } of all) expect(containerName).toBe(`c-${appEnvId}`)
  for (const size of ['1', '2', '4', '7']) expect(await readAll(several, size)).toEqual(all)
  expect(await readAll({ ...several, level: 'ERROR' }, '2')).toEqual(all.filter(({ appEnvId }) => appEnvId === envs[1]))
})

test('an app and an account have the logs of the environments that the caller may see, alike in all APIs', async () => {
  const { accountId } = world
  expect(await readAll({ accountId }, '4')).toEqual(await readAll({ appEnvIds: envs.join(',') }, '1000'))
  const ofApp = await readAll({ appId }, '3')
  expect(ofApp.map(({ appEnvId }) => appEnvId)).toEqual(Array(5).fill(envs[0]))
  const { body } = await readGraphQL(
    served,
    world.adminToken,
    `logs(accountId: "${accountId}", first: 1000) { nodes { appEnvId message } pageInfo { hasNextPage } }`,
  )
  expect(body.nodes.map(({ message }: Line) => message)).toEqual(
    (await readAll({ accountId }, '6')).map(({ message }) => message),
  )
  const mcp = await readMcp(served, world.adminToken, 'listLogs', { accountId })
  expect(mcp.body.logs).toHaveLength(15)
  const restricted = await world.user({ appEnvIds: [envs[2] ?? ''] })
  expect((await readAll({ accountId }, '2', restricted.token)).map(({ appEnvId }) => appEnvId)).toEqual(
    Array(5).fill(envs[2]),
  )
  const other = await readRest(served, restricted.token, 'listLogs', { appEnvIds: envs.join(',') })
  expect(other.code).toBe('FORBIDDEN')
})

test('an environment with many lines hides none of another, although each search reads a bounded part', async () => {
  const [quiet = '', loud = ''] = [(await world.appEnv()).appEnvId, (await world.appEnv()).appEnvId]
  // More than a search of two reads of one, all after the line that is looked for in both.
  const needle = (at: bigint): [bigint, string] => [NOON + at, 'needle']
  await say(quiet, [needle(1n), needle(3n)])
  await say(loud, [needle(0n), needle(2n)])
  await world.database.$executeRaw`
    INSERT INTO log_line (log_stream_id, number, container_id, at, is_error, message)
    SELECT id, 10 + n, 0, ${String(NOON)}::bigint + 1000 + n, false, 'hay' FROM log_stream, generate_series(1, 130000) AS n
    WHERE app_env_id = ${loud} AND kind = 'CONTAINERS'`
  await world.database.logStream.updateMany({ where: { appEnvId: loud }, data: { lastNumber: 130_010n } })
  const found = await readAll({ appEnvIds: `${quiet},${loud}`, search: 'needle' }, '10')
  expect(found.map(({ appEnvId }) => appEnvId)).toEqual([quiet, loud, quiet, loud])
})

test('what is about one environment only is refused beside several, by its name', async () => {
  const refused = async (query: Record<string, string>) => {
    const { body, code } = await readRest(served, world.adminToken, 'listLogs', query)
    expect(code).toBe('INVALID_INPUT')
    return body.errors[0].field as string
  }
  const several = { appEnvIds: envs.join(',') }
  for (const [name, value] of Object.entries({
    appEnvId: envs[0] ?? '',
    contentId: 'c',
    around: '1.1',
    isLive: 'true',
  }))
    expect(await refused({ ...several, [name]: value })).toBe(name)
  expect(await refused({ ...several, appId })).toBe('appId')
  expect(await refused({ ...several, cursor: '1.1' })).toBe('cursor')
  expect(await refused({ appEnvIds: Array.from({ length: 101 }, (_, n) => `env_${n}`).join(',') })).toBe('appEnvIds')
  const unknown = await readRest(served, world.adminToken, 'listLogs', { appId: 'app_unknown' })
  expect(unknown.code).toBe('NOT_FOUND')
})
