import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { Activator } from '../../src/ingress/activator/activator.ts'
import type { ReportedLoad } from '../../src/ingress/activator/app-load.ts'
import { createIngress } from '../../src/ingress/ingress.ts'
import { CurrentTable, type RouteScaling, RouteTable, type Target } from '../../src/ingress/routes/route-table.ts'
import { ask, eventually, routeTo, startReplica } from './fixtures.ts'

const SCALING: RouteScaling = {
  concurrency: 10,
  maxScale: 3,
  idleSeconds: 60,
  timeoutSeconds: 60,
  revision: 0,
  failure: null,
}

/** An ingress in front of one app that sleeps, and what it has reported. */
async function startAsleep(
  scaling: Partial<RouteScaling> = {},
  settings: NodeJS.ProcessEnv = {},
  onReport: () => void = () => {},
) {
  const source = new CurrentTable()
  const route = (targets: Target[], changes: Partial<RouteScaling> = {}) =>
    source.replace(new RouteTable([routeTo(targets, { scaling: { ...SCALING, ...scaling, ...changes } })]))
  route([])
  const loads: ReportedLoad[] = []
  const asked: string[] = []
  const reports = {
    async report(reported: readonly ReportedLoad[], wanted: readonly string[]) {
      onReport()
      loads.push(...reported)
      asked.push(...wanted)
      return {}
    },
    close: async () => {},
  }
  const config = readConfig({ INGRESS_PORT: '0', ...settings })
  const ingress = createIngress({ config, source, log: pino({ level: 'silent' }), registry: new Registry(), reports })
  await ingress.listen()
  onTestFinished(() => ingress.close(0))
  return { port: ingress.address().port, route, loads, asked, reportProblem: ingress.reportProblem }
}

test('holds requests for an app that sleeps, asks once for all of them, and sends them when a container is there', async () => {
  const ingress = await startAsleep()
  const replica = await startReplica((_request, response) => void setTimeout(() => response.end('awake'), 50))
  const answers = Promise.all(Array.from({ length: 8 }, () => ask(ingress.port)))
  await eventually(() => ingress.loads.at(-1)?.waiting === 8)
  expect(ingress.asked[0]).toBe('env_1')
  ingress.route([replica.target])
  expect((await answers).map(({ body }) => body)).toEqual(Array(8).fill('awake'))
  await eventually(() => ingress.loads.at(-1)?.inFlight === 0 && ingress.loads.at(-1)?.waiting === 0)
  expect(ingress.loads.at(-1)).toMatchObject({ waiting: 0, peak: 8, byReplica: {} })
})

test('asks again at once when more containers are needed than it has asked for', () => {
  const activator = new Activator({ report: async () => ({}), close: async () => {} }, pino({ level: 'silent' }))
  onTestFinished(() => activator.close())
  const table = new RouteTable([routeTo([], { scaling: SCALING })])
  activator.apply(table)
  const [route] = table.toJSON()
  const load = route && activator.loadOf(route)
  if (!load) throw new Error('Its requests are not counted')
  const asksFor = (requests: number) => {
    for (let index = 0; index < requests; index += 1) load.beginWaiting(performance.now())
    activator.ask(load)
    return load.asked
  }
  const first = asksFor(5)
  expect(first?.containers).toBe(1)
  expect(asksFor(5)).toBe(first)
  expect(asksFor(15)?.containers).toBe(3)
  const last = load.asked
  // Three is all that it may have.
  expect(asksFor(100)).toBe(last)
})

test('streams a body only when there is a container, and holds little of it meanwhile', async () => {
  const ingress = await startAsleep({}, { BERTH_WAKE_QUEUE_MB: '1' })
  const sizes: number[] = []
  const replica = await startReplica((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => {
      sizes.push(bytes)
      response.end()
    })
  })
  const body = Buffer.alloc(5 * 1_048_576, 1)
  // Each counts with 64 KB, so that 16 fill 1 MB.
  const uploads = Promise.all(Array.from({ length: 15 }, () => ask(ingress.port, { method: 'POST', body })))
  await eventually(() => ingress.loads.at(-1)?.waiting === 15)
  const refused = await ask(ingress.port, { method: 'POST', body: Buffer.alloc(70_000) })
  expect([refused.status, JSON.parse(refused.body).code, refused.headers['retry-after']]).toEqual([
    503,
    'QUEUE_FULL',
    '2',
  ])
  ingress.route([replica.target])
  expect((await uploads).map(({ status }) => status)).toEqual(Array(15).fill(200))
  expect(new Set(sizes)).toEqual(new Set([body.length]))
})

test('refuses requests beyond the number that may wait', async () => {
  const ingress = await startAsleep({}, { BERTH_WAKE_QUEUE_REQUESTS: '3' })
  const replica = await startReplica((_request, response) => response.end())
  const held = Promise.all(Array.from({ length: 3 }, () => ask(ingress.port)))
  await eventually(() => ingress.loads.at(-1)?.waiting === 3)
  expect(JSON.parse((await ask(ingress.port)).body).code).toBe('QUEUE_FULL')
  ingress.route([replica.target])
  expect((await held).map(({ status }) => status)).toEqual([200, 200, 200])
})

test('answers held requests with the reason when the wake failed, and the next ones without waiting', async () => {
  const ingress = await startAsleep()
  const held = ask(ingress.port)
  await eventually(() => ingress.asked.length > 0)
  ingress.route([], { failure: { count: 1, reason: 'its container exited with code 3', pauseSeconds: 60 } })
  for (const { status, body, headers } of [await held, await ask(ingress.port)]) {
    expect([status, JSON.parse(body).code]).toEqual([502, 'WAKE_FAILED'])
    expect(JSON.parse(body).detail).toContain('exited with code 3')
    expect(Number(headers['retry-after'])).toBeGreaterThan(50)
  }
})

test('gives up a request that waits too long, and one whose answer does not begin', async () => {
  const ingress = await startAsleep({ timeoutSeconds: 1 }, { BERTH_WAKE_QUEUE_SECONDS: '1' })
  expect(JSON.parse((await ask(ingress.port)).body)).toMatchObject({ status: 503, code: 'WAKE_TIMEOUT' })
  let isAborted = false
  const replica = await startReplica((request) => {
    request.socket.once('close', () => {
      isAborted = true
    })
  })
  ingress.route([replica.target])
  expect(JSON.parse((await ask(ingress.port)).body)).toMatchObject({ status: 504, code: 'ANSWER_TIMEOUT' })
  await eventually(() => isAborted)
})

test('says at once that an app cannot be woken where the database refuses reports, and wakes it once it does not', async () => {
  let isGranted = false
  const ingress = await startAsleep({}, {}, () => {
    if (!isGranted) throw Object.assign(new Error('permission denied for table request_sample'), { code: '42501' })
  })
  const refused = await ask(ingress.port)
  expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'CANNOT_WAKE'])
  expect(ingress.reportProblem()?.message).toContain('permission denied')
  isGranted = true
  await eventually(() => ingress.reportProblem() === null)
  const replica = await startReplica((_request, response) => response.end('awake'))
  const held = ask(ingress.port)
  await eventually(() => ingress.asked.length > 0)
  ingress.route([replica.target])
  expect((await held).body).toBe('awake')
})

test('sends a container as many requests as it handles at a time, and asks for another', async () => {
  const ingress = await startAsleep({ concurrency: 2, timeoutSeconds: 60 })
  let now = 0
  let most = 0
  const replica = await startReplica((_request, response) => {
    now += 1
    most = Math.max(most, now)
    setTimeout(() => {
      now -= 1
      response.end()
    }, 20)
  })
  ingress.route([replica.target])
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(ingress.port)))
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect(most).toBe(2)
  expect(ingress.asked).toContain('env_1')
})

test('keeps a request whose container is gone for the next one', async () => {
  const ingress = await startAsleep()
  const gone = await startReplica(() => {})
  await gone.close()
  ingress.route([gone.target])
  const held = ask(ingress.port)
  await eventually(() => ingress.loads.some(({ waiting }) => waiting === 1))
  const next = await startReplica((_request, response) => response.end('another'))
  ingress.route([next.target])
  expect((await held).body).toBe('another')
})

test('reports the revision that it routes by, also without any request', async () => {
  const ingress = await startAsleep()
  ingress.route([], { revision: 7 })
  await eventually(() => ingress.loads.at(-1)?.revision === 7)
})
