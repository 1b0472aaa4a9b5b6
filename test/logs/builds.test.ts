import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'
import { type Answer, openSocket, overSse, take } from '../support/transports.ts'
import { changeContent, line, sourceEnv, startBuild } from './started-build.ts'

const BUILD_LOGS = `subscription ($id: ID, $contentId: ID, $after: String) {
  buildLogs(appEnvId: $id, contentId: $contentId, after: $after) {
    cursor contentId hasEnded lines { message stream containerName }
  }
}`

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})

afterAll(() => world.close())

type Variables = Record<string, unknown>
type Follow = (variables: Variables, token?: string) => AsyncGenerator<Answer>

const TRANSPORTS: Record<string, Follow> = {
  async *websocket(variables, token = world.adminToken) {
    const socket = openSocket(world.url, token)
    try {
      yield* socket.iterate(BUILD_LOGS, variables)
    } finally {
      await socket.close()
    }
  },
  async *sse(variables, token = world.adminToken) {
    const leaving = new AbortController()
    try {
      yield* overSse({ url: world.url, token, query: BUILD_LOGS, variables, signal: leaving.signal })
    } finally {
      leaving.abort()
    }
  },
}

const build = async () => startBuild(world, (await sourceEnv(world)).appEnvId)

const messagesOf = (following: Answer[]): string[] =>
  following.flatMap(({ data }) => data.buildLogs.lines.map(({ message }: { message: string }) => message))

async function all(following: AsyncGenerator<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for await (const answer of following) answers.push(answer)
  return answers
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `line ${from + n}`)

interface LogAnswer {
  logs: { timestamp: string; stream: string; containerName: string; contentId: string; message: string }[]
  nextCursor?: string
}

async function getLogs(query: Record<string, string>, token = world.adminToken) {
  const address = `${new URL(world.url).origin}/api/public/v1/logs?${new URLSearchParams(query)}`
  const response = await fetch(address, { headers: { authorization: token } })
  return { status: response.status, body: (await response.json()) as LogAnswer }
}

describe.each(Object.entries(TRANSPORTS))('buildLogs over %s', (_name, follow) => {
  test('tells all lines so far, then each as it is written, and completes with the last', async () => {
    const { appEnvId, contentId, stream, ...rest } = await build()
    for (const message of numbered(450)) stream.add(line(message))
    const following = follow({ id: appEnvId })
    const received: Answer[] = []
    while (messagesOf(received).length < 450) received.push(...(await take(following, 1)))
    for (const message of numbered(50, 450)) stream.add(line(message))
    while (messagesOf(received).length < 500) received.push(...(await take(following, 1)))
    expect(received.every(({ data }) => !data.buildLogs.hasEnded && data.buildLogs.contentId === contentId)).toBe(true)
    stream.add(line('The build failed', true))
    await stream.close()
    await changeContent(world, { appEnvId, contentId, ...rest }, { status: 'FAILED' })
    received.push(...(await all(following)))
    expect(messagesOf(received)).toEqual([...numbered(500), 'The build failed'])
    expect(received.at(-1)?.data.buildLogs.hasEnded).toBe(true)
    const last = received.findLast(({ data }) => data.buildLogs.lines.length > 0)
    expect(last?.data.buildLogs.lines.at(-1)).toMatchObject({ stream: 'STDERR', containerName: 'build' })
  })

  test('goes on from any cursor without a gap or a repeat', async () => {
    const started = await build()
    const { appEnvId, contentId, stream } = started
    for (const message of numbered(500)) stream.add(line(message))
    await stream.close()
    await changeContent(world, started, { status: 'BUILT', imageDigest: 'sha256:1' })
    const whole = await all(follow({ id: appEnvId, contentId }))
    expect(messagesOf(whole)).toEqual(numbered(500))
    expect(whole.map(({ data }) => data.buildLogs.hasEnded)).toEqual([false, false, true])
    for (const [index, { data }] of whole.entries()) {
      const rest = await all(follow({ id: appEnvId, contentId, after: data.buildLogs.cursor }))
      expect(messagesOf(rest)).toEqual(messagesOf(whole.slice(index + 1)))
      expect(rest.at(-1)?.data.buildLogs.hasEnded).toBe(true)
    }
  })

  test('is refused to who may not see the environment, and for a version that is another’s', async () => {
    const [mine, other] = [await build(), await build()]
    const { token } = await world.user({ appEnvIds: [mine.appEnvId] })
    const code = async (variables: Variables, as?: string) =>
      (await take(follow(variables, as), 1))[0]?.errors?.[0]?.extensions?.code
    expect(await code({ id: mine.appEnvId }, token)).toBeUndefined()
    expect(await code({ id: other.appEnvId }, token)).toBe('FORBIDDEN')
    expect(await code({ id: mine.appEnvId, contentId: other.contentId })).toBe('NOT_FOUND')
    expect(await code({ id: (await sourceEnv(world)).appEnvId })).toBe('NOT_FOUND')
    expect(await code({ id: mine.appEnvId, after: 'nonsense' })).toBe('INVALID_INPUT')
  })
})

test('a cancelled build is followed until its worker has written the last it received', async () => {
  const { appEnvId, contentId, operationId, stream } = await build()
  stream.add(line('working'))
  const following = TRANSPORTS.websocket?.({ id: appEnvId }) as AsyncGenerator<Answer>
  const received: Answer[] = []
  while (messagesOf(received).length < 1) received.push(...(await take(following, 1)))
  await world.perform(cancelOperation, { operationId })
  const { status } = await world.database.content.findUniqueOrThrow({ where: { id: contentId } })
  expect(status).toBe('CANCELLED')
  // Longer than a follower waits before it polls again: it has seen the version cancelled, and stays.
  await sleep(1_500)
  stream.add(line('still working'))
  await stream.close()
  received.push(...(await all(following)))
  expect(messagesOf(received)).toEqual(['working', 'still working'])
})

test('a cancelled build whose worker is dead has ended when its claim has', async () => {
  const { appEnvId, operationId, stream } = await build()
  stream.add(line('working'))
  const following = TRANSPORTS.sse?.({ id: appEnvId }) as AsyncGenerator<Answer>
  const received: Answer[] = []
  while (messagesOf(received).length < 1) received.push(...(await take(following, 1)))
  await world.perform(cancelOperation, { operationId })
  await world.database.$executeRaw`
    UPDATE log_stream SET lease_expires_at = now() - interval '10 s' WHERE app_env_id = ${appEnvId}`
  const [last] = await all(following)
  expect(last?.data.buildLogs).toMatchObject({ hasEnded: true, lines: [] })
  await stream.close()
})

test('lines that are written while a build ends at any moment are all of its lines', async () => {
  for (const delayMs of [0, 5, 20, 60, 120]) {
    const started = await build()
    for (const message of numbered(300)) started.stream.add(line(message))
    const ending = sleep(delayMs).then(async () => {
      await started.stream.close()
      await changeContent(world, started, { status: 'FAILED' })
    })
    const following = await all(TRANSPORTS.websocket?.({ id: started.appEnvId }) as AsyncGenerator<Answer>)
    await ending
    expect(messagesOf(following)).toEqual(numbered(300))
  }
})

test('GET /logs and logs show builds by their type alone, filtered as any log', async () => {
  const started = await build()
  const { appEnvId, contentId, stream } = started
  for (const message of numbered(20)) stream.add(line(message))
  stream.add(line('The build failed', true))
  await stream.close()
  const read = async (query: Record<string, string> = {}) => {
    const { status, body } = await getLogs({ appEnvId, type: 'BUILD', ...query })
    expect(status).toBe(200)
    return body.logs
  }
  const messages = async (query: Record<string, string>) => (await read(query)).map(({ message }) => message)
  expect((await read())[0]).toMatchObject({
    message: 'The build failed',
    stream: 'stderr',
    containerName: 'build',
    contentId,
  })
  expect(await messages({ stream: 'stderr' })).toEqual(['The build failed'])
  expect(await messages({ search: 'LINE 1', containerName: 'build', contentId })).toHaveLength(11)
  expect(await messages({ contentId: 'con_other' })).toEqual([])
  expect(await messages({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([])
  expect((await getLogs({ appEnvId })).body.logs).toEqual([])
  expect((await getLogs({ appEnvId, type: 'WEB_APP' })).body.logs).toEqual([])
  expect((await getLogs({ appEnvId: (await sourceEnv(world)).appEnvId, type: 'BUILD' })).body).toEqual({ logs: [] })

  const { body: page } = await getLogs({ appEnvId, type: 'BUILD', isLive: 'true', size: '2' })
  expect(page.logs.map(({ message }: { message: string }) => message)).toEqual(['line 19', 'The build failed'])
  const document = `{ logs(appEnvId: "${appEnvId}", type: BUILD, first: 2) { nodes { message stream contentId } } }`
  const { data } = await world.query(document)
  expect(data.logs.nodes).toEqual([
    { message: 'The build failed', stream: 'STDERR', contentId },
    { message: 'line 19', stream: 'STDOUT', contentId },
  ])
  const pods = await world.query(`{ pods(appEnvId: "${appEnvId}") { name } }`)
  expect(pods.data.pods).toEqual([])
})

test('the log of a build is read by those who may read the environment', async () => {
  const [mine, other] = [await build(), await build()]
  const { token } = await world.user({ appEnvIds: [mine.appEnvId] })
  for (const [{ appEnvId, contentId }, status, code] of [
    [mine, 200, undefined],
    [other, 403, 'FORBIDDEN'],
  ] as const) {
    expect((await getLogs({ appEnvId, contentId, type: 'BUILD' }, token)).status).toBe(status)
    const document = `{ logs(appEnvId: "${appEnvId}", type: BUILD) { nodes { message } } }`
    expect((await world.query(document, {}, token)).errors?.[0]?.extensions.code).toBe(code)
  }
})
