import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../worker/fixtures.ts'
import { openTunnel, request } from './function-requests.ts'
import { createFunction, startSecondIngress, statusOf } from './function-world.ts'
import { startTestPlatform, type TestPlatform, UNDER_LOAD } from './platform.ts'

let berth: TestPlatform
let second: Awaited<ReturnType<typeof startSecondIngress>>

const QUEUE = { BERTH_WAKE_QUEUE_REQUESTS: '60', BERTH_WAKE_QUEUE_SECONDS: '60' }

beforeAll(async () => {
  berth = await startTestPlatform({ ...UNDER_LOAD, ...QUEUE, BERTH_READY_TIMEOUT_SECONDS: '60' })
  second = await startSecondIngress(berth, QUEUE)
})
afterAll(async () => {
  await second?.stop()
  await berth?.stop()
})

const urls = () => [berth.platform.ingressUrl ?? '', second.url]
const containersOf = (appEnvId: string) =>
  berth.docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })
const asleep = (appEnvId: string, depth?: string) =>
  eventually(
    () => statusOf(berth, appEnvId),
    ({ sleeping, sleepDepth }) => sleeping && (depth === undefined || sleepDepth === depth),
  )
/** Makes it sleep deeper, as age would. */
async function sleepDeeper(appEnvId: string, depth: 'STOPPED' | 'NONE'): Promise<void> {
  const long = new Date(Date.now() - 10 * 365 * 86_400_000)
  for (const next of ['STOPPED', 'NONE'] as const) {
    await berth.database.requestScaling.update({ where: { appEnvId }, data: { depthSince: long } })
    await asleep(appEnvId, next)
    if (next === depth) return
  }
}
const wakesOf = (appEnvId: string) =>
  berth.database.wake.findMany({ where: { appEnvId }, orderBy: { createdAt: 'asc' } })

test('sleeps when nobody asks, and one container answers all who ask at once, whichever ingress they ask', async () => {
  const { appEnvId, host } = await createFunction(berth, 'sleeper', { idleSeconds: 1, concurrency: 1000 })
  for (const depth of ['FROZEN', 'STOPPED', 'NONE'] as const) {
    await asleep(appEnvId, 'FROZEN')
    if (depth !== 'FROZEN') await sleepDeeper(appEnvId, depth)
    const phase = { FROZEN: ['paused'], STOPPED: ['exited'], NONE: [] }[depth]
    await eventually(
      async () => (await containersOf(appEnvId)).map(({ State }) => State),
      (states) => JSON.stringify(states) === JSON.stringify(phase),
    )
    expect(await statusOf(berth, appEnvId)).toMatchObject({
      status: 'RUNNING',
      health: 'HEALTHY',
      sleeping: true,
      sleepDepth: depth,
      sleepReason: expect.any(String),
      sleepingSince: expect.any(String),
      replicas: { desired: 0, running: 0, ready: 0 },
    })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => request(urls()[index % 2] ?? '', host)))
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    expect(await containersOf(appEnvId)).toHaveLength(1)
  }
  const wakes = await wakesOf(appEnvId)
  expect(wakes.map(({ depth, failure }) => [depth, failure])).toEqual([
    ['FROZEN', null],
    ['STOPPED', null],
    ['NONE', null],
  ])
})

test('a container that is killed while it wakes, or just after, costs no request', async () => {
  const { appEnvId, host } = await createFunction(berth, 'killed', { idleSeconds: 1, concurrency: 1000 })
  await asleep(appEnvId)
  await sleepDeeper(appEnvId, 'STOPPED')
  const asked = Promise.all(
    Array.from({ length: 20 }, (_, index) => request(urls()[index % 2] ?? '', host, '/?ms=200')),
  )
  const [container] = await containersOf(appEnvId)
  const kill = () => berth.docker.getContainer(container?.Id ?? '').kill()
  // Refused as long as it does not run.
  await eventually(
    () =>
      kill().then(
        () => true,
        () => false,
      ),
    (wasKilled) => wasKilled,
  )
  expect((await asked).map(({ status }) => status)).toEqual(Array(20).fill(200))
})

test('answers 502 with the reason while its container does not start, and tries again after a pause', async () => {
  const { appEnvId, host } = await createFunction(berth, 'broken', { idleSeconds: 1 })
  await asleep(appEnvId)
  await sleepDeeper(appEnvId, 'NONE')
  const { currentContentId } = await berth.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const content = await berth.database.content.findUniqueOrThrow({ where: { id: currentContentId ?? '' } })
  const configuration = content.configuration as { startup: { args: string[] } }
  const broken = {
    ...configuration,
    startup: { ...configuration.startup, args: ['-e', 'console.error("cannot open the safe"); process.exit(3)'] },
  }
  const record = (data: object) =>
    berth.database.content.update({ where: { id: content.id }, data: { configuration: data } })
  await record(broken)
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => request(urls()[index % 2] ?? '', host)))
  for (const { status, body, headers } of answers) {
    expect([status, Number(headers['retry-after']) > 0]).toEqual([502, true])
    expect(JSON.parse(body)).toMatchObject({
      code: 'WAKE_FAILED',
      detail: expect.stringContaining('exited with code 3'),
    })
    expect(body).not.toContain('the safe')
  }
  expect(await statusOf(berth, appEnvId)).toMatchObject({
    sleeping: true,
    sleepDepth: 'NONE',
    health: 'UNHEALTHY',
    observedReason: expect.stringContaining('cannot open the safe'),
  })
  expect(await wakesOf(appEnvId)).toHaveLength(1)
  await record(configuration)
  await eventually(
    () => request(urls()[0] ?? '', host),
    ({ status }) => status === 200,
  )
})

test('answers 503 when too many wait, and 504 when an answer takes too long', async () => {
  const { host } = await createFunction(berth, 'slow', { maxScale: 1, concurrency: 1, timeoutSeconds: 2 })
  const [url = ''] = urls()
  const hung = request(url, host, '/hang')
  const answers = await Promise.all(Array.from({ length: 70 }, () => request(url, host, '/?ms=5')))
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused)
    expect([JSON.parse(body).code, headers['retry-after']]).toEqual(['QUEUE_FULL', '2'])
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(55)
  expect(await hung).toMatchObject({ status: 504 })
  const { most } = JSON.parse((await request(url, host, '/count')).body)
  expect(most).toBeLessThanOrEqual(1)
})

test('adds containers while requests exceed its concurrency, and removes them when it is quiet', async () => {
  const { appEnvId, host } = await createFunction(berth, 'grows', { maxScale: 3, concurrency: 2, idleSeconds: 2 })
  const clients = new AbortController()
  const asking = Array.from({ length: 8 }, async (_, index) => {
    const seen: number[] = []
    while (!clients.signal.aborted) seen.push((await request(urls()[index % 2] ?? '', host, '/?ms=100')).status)
    return seen
  })
  await eventually(
    () => statusOf(berth, appEnvId),
    ({ replicas }) => replicas.ready === 3,
  )
  clients.abort()
  expect([...new Set((await Promise.all(asking)).flat())]).toEqual([200])
  await asleep(appEnvId, 'FROZEN')
  await eventually(
    async () => (await containersOf(appEnvId)).map(({ State }) => State),
    (states) => JSON.stringify(states) === '["paused"]',
  )
})

test('an open tunnel keeps it awake, and a stop is not a sleep', async () => {
  const { appEnvId, host } = await createFunction(berth, 'tunnelled', { idleSeconds: 1 })
  await asleep(appEnvId)
  const tunnel = await openTunnel(second.url, host)
  for (const word of ['one', 'two', 'three']) {
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await tunnel.say(word)).toBe(word)
  }
  expect(await statusOf(berth, appEnvId)).toMatchObject({ sleeping: false, sleepDepth: null })
  tunnel.close()
  await asleep(appEnvId)
  await berth.ok('POST', '/app-env/stop', { appEnvId }, { Prefer: 'wait=60' })
  expect(await statusOf(berth, appEnvId)).toMatchObject({ status: 'STOPPED', sleeping: false })
  expect(await containersOf(appEnvId)).toEqual([])
  expect(JSON.parse((await request(second.url, host)).body)).toMatchObject({ status: 503, code: 'STOPPED' })
  await berth.ok('POST', '/app-env/start', { appEnvId }, { Prefer: 'wait=60' })
  // The other ingress hears of it just after the operation has ended.
  await eventually(
    () => request(second.url, host),
    ({ status }) => status === 200,
  )
})
