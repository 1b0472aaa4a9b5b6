import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { structuredLevel } from '../../src/domain/structured-line.ts'
import { deleteOldLogs } from '../../src/worker/logs/delete-old-logs.ts'
import { append, claimLogStream, type LogStreamClaim } from '../../src/worker/logs/log-stream.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'
import { openSocket } from '../support/transports.ts'

const NOON = BigInt(Date.now()) * 1_000_000n
const SECOND = 1_000_000_000n

let world: GraphQLWorld
let appEnvId: string
let stream: LogStreamClaim
let containerId: number

const containers = () => ({ appEnvId, kind: 'CONTAINERS' }) as const

beforeAll(async () => {
  world = await createGraphQLWorld()
  appEnvId = (await world.appEnv()).appEnvId
  const row = { containerId: 'c1', appEnvId, contentId: 'con_1', name: 'berth-one', phase: 'running' }
  containerId = (await world.database.container.create({ data: row })).id
  const claimed = await claimLogStream(world.database, containers(), { owner: 'worker-1', leaseSeconds: 60 })
  if (!claimed) throw new Error('The log stream is already claimed')
  stream = claimed
  await say(Array.from({ length: 100 }, (_, n) => `line ${n}`))
  await say(['100% of a_b', 'An ERROR of its own'], true)
})

afterAll(() => world.close())

const say = (messages: string[], isError = false) => {
  const first = stream.lastNumber
  const lines = messages.map((message, n) => ({
    containerId,
    at: NOON + (first + BigInt(n)) * SECOND,
    isError,
    message,
  }))
  return append(world.database, stream, lines, [])
}

interface Page {
  logs: { id: string; message: string; level: string | null; text?: string | null; fields?: object[] | null }[]
  nextCursor?: string
}

async function get(query: Record<string, string>) {
  const address = `${new URL(world.url).origin}/api/public/v1/logs?${new URLSearchParams({ appEnvId, ...query })}`
  const response = await fetch(address, { headers: { authorization: world.adminToken } })
  return { status: response.status, body: (await response.json()) as unknown }
}

async function read(query: Record<string, string>): Promise<{ said: string[]; nextCursor: string | undefined }> {
  const { status, body } = await get(query)
  expect(status).toBe(200)
  const { logs, nextCursor } = body as Page
  return { said: logs.map(({ message }) => message), nextCursor }
}

describe('searching a log', () => {
  test('shows the newest lines first, page after page', async () => {
    const first = await read({ size: '60' })
    expect(first.said.slice(0, 3)).toEqual(['An ERROR of its own', '100% of a_b', 'line 99'])
    const second = await read({ size: '60', cursor: first.nextCursor ?? '' })
    expect(second.said.at(-1)).toBe('line 0')
    expect(second.nextCursor).toBeUndefined()
    expect(first.said.length + second.said.length).toBe(102)
  })

  test('finds by text, stream, time, container and version', async () => {
    expect((await read({ search: 'error' })).said).toEqual(['An ERROR of its own'])
    expect((await read({ search: '0% of a_' })).said).toEqual(['100% of a_b'])
    expect((await read({ search: 'l_ne' })).said).toEqual([])
    expect((await read({ stream: 'stderr' })).said).toHaveLength(2)
    const at = new Date(Number(NOON / 1_000_000n) + 5_000).toISOString()
    expect((await read({ from: at, to: at })).said).toEqual(['line 5'])
    expect((await read({ containerName: 'berth-one', contentId: 'con_1' })).said).toHaveLength(102)
    expect((await read({ contentId: 'con_2' })).said).toEqual([])
    expect((await read({ type: 'BUILD' })).said).toEqual([])
  })

  test('shows what surrounds a line, whole, in both APIs', async () => {
    const { logs } = (await get({ search: 'line 50' })).body as Page
    const around = logs[0]?.id ?? ''
    const middle = ['line 52', 'line 51', 'line 50', 'line 49', 'line 48']
    expect((await read({ around, size: '5' })).said).toEqual(middle)
    expect((await read({ around, size: '1' })).said).toEqual(['line 50'])
    const older = await read({ around, size: '5' })
    expect((await read({ cursor: older.nextCursor ?? '', size: '1' })).said).toEqual(['line 47'])
    const document = `{ logs(appEnvId: "${appEnvId}", around: "${around}", first: 5) { nodes { message } } }`
    const { data } = await world.query(document)
    expect(data.logs.nodes.map(({ message }: { message: string }) => message)).toEqual(middle)
    for (const [field, value] of Object.entries({ search: 'x', level: 'INFO', stream: 'stdout', isLive: 'true' }))
      expect((await get({ around, [field]: value })).body).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field }] })
    expect((await get({ around: 'x' })).body).toMatchObject({ errors: [{ field: 'around' }] })
  })

  test('pages in both directions over GraphQL', async () => {
    const page = async (args: string) => {
      const document = `{ logs(appEnvId: "${appEnvId}", ${args}) { nodes { id message } pageInfo { hasNextPage endCursor } } }`
      const { data } = await world.query(document)
      return data.logs.nodes as { id: string; message: string }[]
    }
    const [, , newest] = await page('first: 3')
    const older = await page(`first: 2, after: "${newest?.id}"`)
    expect(older.map(({ message }) => message)).toEqual(['line 98', 'line 97'])
    const newer = await page(`last: 2, before: "${older[1]?.id}"`)
    expect(newer.map(({ message }) => message)).toEqual(['line 99', 'line 98'])
  })
})

describe('a line that names its level', () => {
  const JSON_LINE = '{"level":40,"msg":"disk is low","disk":{"freeMb":12}}'
  const LOGFMT_LINE = 'ts=1 level=error msg="disk is full"'

  beforeAll(async () => {
    const at = NOON + 3_600n * SECOND
    const lines = [JSON_LINE, LOGFMT_LINE, 'neither'].map((message, n) => {
      return { containerId, at: at + BigInt(n), isError: false, message, level: structuredLevel(message) }
    })
    await append(world.database, stream, lines, [])
  })
  afterAll(() => world.database.$executeRaw`DELETE FROM log_line WHERE at > ${NOON + 3_000n * SECOND}`)

  test('is found by it, alike in all APIs', async () => {
    expect((await read({ level: 'WARNING' })).said).toEqual([JSON_LINE])
    expect((await read({ level: 'FATAL,ERROR,WARNING' })).said).toEqual([LOGFMT_LINE, JSON_LINE])
    expect((await read({ level: 'INFO' })).said).toEqual([])
    expect((await get({ level: 'ERROR,LOUD' })).body).toMatchObject({ errors: [{ field: 'level.1' }] })
    const { data } = await world.query(
      `{ logs(appEnvId: "${appEnvId}", level: [ERROR]) { nodes { level text fields { name value } } } }`,
    )
    const fields = [
      { name: 'ts', value: '1' },
      { name: 'level', value: 'error' },
      { name: 'msg', value: 'disk is full' },
    ]
    expect(data.logs.nodes).toEqual([{ level: 'ERROR', text: 'disk is full', fields }])
  })

  test('comes as it was, and with what it says where that is asked for', async () => {
    const { logs } = (await get({ size: '3', parsed: 'true' })).body as Page
    expect(logs).toMatchObject([
      { message: 'neither', level: null, text: null, fields: null },
      { message: LOGFMT_LINE, level: 'ERROR', text: 'disk is full' },
      { message: JSON_LINE, level: 'WARNING', text: 'disk is low' },
    ])
    expect(logs[2]?.fields).toContainEqual({ name: 'disk', value: '{"freeMb":12}' })
    const plain = (await get({ size: '3' })).body as Page
    expect(plain.logs[1]).not.toHaveProperty('fields')
  })
})

test('a live log goes on from its cursor, in both APIs', async () => {
  const { said, nextCursor } = await read({ isLive: 'true', size: '2' })
  expect(said).toEqual(['100% of a_b', 'An ERROR of its own'])
  const socket = openSocket(world.url, world.adminToken)
  const query = 'subscription ($id: ID) { appEnvLogs(appEnvId: $id) { cursor lines { message } } }'
  const received = socket.iterate(query, { id: appEnvId })
  const { value: first } = await received.next()
  expect(first?.data.appEnvLogs.lines).toHaveLength(102)
  await say(['live one', 'live two'])
  const { value: second } = await received.next()
  expect(second?.data.appEnvLogs.lines).toEqual([{ message: 'live one' }, { message: 'live two' }])
  await received.return(undefined)
  await socket.close()
  const rest = await read({ isLive: 'true', cursor: nextCursor ?? '' })
  expect(rest.said).toEqual(['live one', 'live two'])
  expect((await read({ isLive: 'true', cursor: rest.nextCursor ?? '' })).said).toEqual([])
})

test('usage is sent after each measurement', async () => {
  const socket = openSocket(world.url, world.adminToken)
  const query = 'subscription ($id: ID) { metrics(appEnvId: $id) { used { cpu memory } measuredAt } }'
  const received = socket.iterate(query, { id: appEnvId })
  const { value: first } = await received.next()
  expect(first?.data.metrics).toEqual({ used: { cpu: 0, memory: 0 }, measuredAt: null })
  const use = { cpuMillicores: 250, memoryMb: 64, cpuLimit: 1000, memoryLimit: 512 }
  await world.database.metricSample.create({ data: { appEnvId, containerId, at: new Date(), ...use } })
  const { value: second } = await received.next()
  expect(second?.data.metrics.used).toEqual({ cpu: 250, memory: 64 })
  await received.return(undefined)
  await socket.close()
})

test('a worker whose log stream was claimed by another writes nothing', async () => {
  const other = await claimLogStream(world.database, containers(), { owner: 'worker-2', leaseSeconds: 60 })
  expect(other).toBeNull()
  const former = { ...stream }
  const forced = await claimLogStream(world.database, containers(), {
    owner: 'worker-2',
    leaseSeconds: 60,
    isForced: true,
  })
  expect(forced?.lastNumber).toBe(stream.lastNumber)
  const line = { containerId, at: NOON, isError: false, message: 'too late' }
  expect(await append(world.database, former, [line], [])).toBe(false)
  expect((await read({ search: 'too late' })).said).toEqual([])
})

test('lines go when the plan keeps them no longer', async () => {
  await world.database.$executeRaw`UPDATE log_line SET at = at - ${8n * 86_400n * SECOND} WHERE number <= 50`
  expect(await deleteOldLogs(world.database)).toBe(50)
  expect((await read({ size: '1000' })).said).not.toContain('line 49')
  expect((await read({ size: '1000' })).said).toContain('line 50')
})
