import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createIngress } from '../../src/ingress/ingress.ts'
import { CurrentTable, type Route, RouteTable } from '../../src/ingress/routes/route-table.ts'
import { noTraffic, type ReportedTraffic } from '../../src/ingress/traffic/request-counts.ts'
import { TrafficLog } from '../../src/ingress/traffic/traffic-log.ts'
import { ask, deadTarget, HOST, type Replica, routeTo, startRawReplica, startReplica } from './fixtures.ts'

const silent = pino({ level: 'silent' })
const of = ({ target }: Replica, contentId: string) => Object.assign({ contentId }, target)

/** An ingress; `counted` closes it, and is what it has reported by then. */
async function startCounting(...routes: Route[]) {
  const source = new CurrentTable()
  source.replace(new RouteTable(routes))
  const reported: ReportedTraffic[] = []
  const traffic = {
    report: async (more: readonly ReportedTraffic[]) => void reported.push(...more),
    close: async () => {},
  }
  const config = readConfig({ INGRESS_PORT: '0' })
  const ingress = createIngress({ config, source, log: silent, registry: new Registry(), traffic })
  await ingress.listen()
  onTestFinished(() => ingress.close(0))
  const counted = async () => {
    await ingress.close(5)
    return reported.sort((a, b) => a.containerName.localeCompare(b.containerName))
  }
  return { port: ingress.address().port, source, counted }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

test('requests are counted by container and version: class, bytes of bodies, duration', async () => {
  const one = await startReplica((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = Number(request.url?.slice(1))
      response.end('x'.repeat(100))
    })
  })
  const ingress = await startCounting(routeTo([of(one, 'con_1')]))
  for (const status of [200, 200, 302, 404, 500]) await ask(ingress.port, { path: `/${status}` })
  await ask(ingress.port, { path: '/201', method: 'POST', body: 'y'.repeat(70_000) })
  await ask(ingress.port, { path: '/201', method: 'POST', body: 'z', headers: { 'Transfer-Encoding': 'chunked' } })
  const two = await startReplica((_request, response) => response.end('two'))
  ingress.source.replace(new RouteTable([routeTo([of(two, 'con_2')])]))
  await ask(ingress.port)
  const [first, second, ...others] = await ingress.counted()
  expect(others).toEqual([])
  expect(first).toMatchObject({ appEnvId: 'env_1', containerName: one.target.name, contentId: 'con_1' })
  expect(first).toMatchObject({ classes: [0, 4, 1, 1, 1], aborted: 0, bytesIn: 70_001, bytesOut: 700 })
  expect(sum(first?.durations ?? [])).toBe(7)
  expect(second).toMatchObject({
    containerName: two.target.name,
    contentId: 'con_2',
    classes: [0, 1, 0, 0, 0],
    bytesOut: 3,
  })
})

test('answers of the ingress in place of an app count as those of its environment, and of the container that was asked', async () => {
  const dead = await deadTarget()
  const broken = await startRawReplica((socket) => socket.end('this is not HTTP\r\n\r\n'))
  const ingress = await startCounting(
    routeTo([], { status: 'STOPPED' }),
    routeTo([dead], { host: 'dead.berth.localhost', appEnvId: 'env_2' }),
    routeTo([broken.target], { host: 'broken.berth.localhost', appEnvId: 'env_3' }),
  )
  expect((await ask(ingress.port)).status).toBe(503)
  expect((await ask(ingress.port, { host: 'dead.berth.localhost' })).status).toBe(502)
  expect((await ask(ingress.port, { host: 'broken.berth.localhost' })).status).toBe(502)
  expect((await ask(ingress.port, { host: 'unknown.berth.localhost' })).status).toBe(404)
  const counted = await ingress.counted()
  const short = counted.map(({ appEnvId, containerName, classes }) => [appEnvId, containerName, classes[4]])
  expect(short.sort()).toEqual([
    ['env_1', '', 1],
    ['env_2', dead.name, 1],
    ['env_3', broken.target.name, 1],
  ])
})

test('a client that leaves counts as aborted, an upgrade as 1xx with the bytes of both ways', async () => {
  const arrived = Promise.withResolvers<void>()
  const slow = await startReplica(() => arrived.resolve())
  slow.server.on('upgrade', (_request, socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    socket.on('data', (bytes: Buffer) => socket.write(bytes))
    socket.on('end', () => socket.end())
  })
  const ingress = await startCounting(routeTo([slow.target]))
  const leaving = connect({ host: '127.0.0.1', port: ingress.port })
  leaving.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  await arrived.promise
  leaving.destroy()
  const client = connect({ host: '127.0.0.1', port: ingress.port })
  client.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
  await once(client, 'data')
  client.write('four')
  expect(String((await once(client, 'data'))[0])).toBe('four')
  client.end()
  await once(client, 'close')
  expect(await ingress.counted()).toMatchObject([{ classes: [1, 0, 0, 0, 0], aborted: 1, bytesIn: 4, bytesOut: 4 }])
})

test('requests to functions are not counted here: they are where they are scaled', async () => {
  const replica = await startReplica((_request, response) => response.end('ok'))
  const scaling = { concurrency: 10, maxScale: 3, idleSeconds: 60, timeoutSeconds: 60, revision: 0, failure: null }
  const ingress = await startCounting(routeTo([replica.target], { scaling }))
  await ask(ingress.port)
  expect(await ingress.counted()).toEqual([])
})

/** A log whose reports are taken, or not, as the test decides. */
function logOf(accepts: () => boolean) {
  const reported: ReportedTraffic[] = []
  const report = async (more: readonly ReportedTraffic[]) => {
    if (!accepts()) throw new Error('the database is away')
    reported.push(...structuredClone(more as ReportedTraffic[]))
  }
  const log = new TrafficLog({ report, close: async () => {} }, silent)
  onTestFinished(() => log.close())
  return { log, reported }
}

test('what the database does not take is kept, and reported once with what came since', async () => {
  let isUp = false
  const { log, reported } = logOf(() => isUp)
  const counts = log.countsOf({ appEnvId: 'env_1', containerName: 'one', contentId: 'con_1' })
  counts.ended(200, 5, 1, 10)
  await log.report()
  counts.ended(500, 5, 1, 10)
  counts.ended(null, 5, 0, 0)
  await log.report()
  expect(reported).toEqual([])
  isUp = true
  await log.report()
  await log.report()
  expect(reported).toHaveLength(1)
  expect(reported[0]).toMatchObject({ classes: [0, 1, 0, 0, 1], aborted: 1, bytesIn: 2, bytesOut: 20 })
})

test('containers of one name are reported as one, such as an environment with several hosts', async () => {
  const { log, reported } = logOf(() => true)
  const container = { appEnvId: 'env_1', containerName: '', contentId: '' }
  for (const counts of [log.countsOf(container), log.countsOf(container)]) counts.ended(503, 0, 0, 0)
  await log.report()
  expect(reported).toHaveLength(1)
  expect(reported[0]?.classes).toEqual([0, 0, 0, 0, 2])
})

test('what is kept is bounded: further containers count for their environment, and no request is lost by it', async () => {
  let isUp = false
  const { log, reported } = logOf(() => isUp)
  for (let index = 0; index < 12_000; index += 1)
    log.countsOf({ appEnvId: `env_${index % 3}`, containerName: `c${index}`, contentId: 'con' }).ended(200, 1, 0, 0)
  await log.report()
  isUp = true
  await log.report()
  expect(reported.length).toBeLessThanOrEqual(10_003)
  expect(reported.reduce((total, { classes }) => total + sum(classes), 0)).toBe(12_000)
  expect(reported.filter(({ containerName }) => containerName === '')).toHaveLength(3)
})

test('a status that HTTP does not define counts among the last class', async () => {
  const { log, reported } = logOf(() => true)
  log.countsOf({ appEnvId: 'env_1', containerName: 'one', contentId: '' }).ended(777, 1, 0, 0)
  await log.report()
  expect(reported[0]?.classes).toEqual(noTraffic({ appEnvId: '', containerName: '', contentId: '' }).classes.with(4, 1))
})
