import { connect } from 'node:net'
import { availableParallelism, constants, getPriority, setPriority } from 'node:os'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { spawnBerth } from '../processes/berth-process.ts'
import { freePort } from '../support/free-ports.ts'
import { CROSSED, loadApp } from './app-load.ts'
import { isAlive, type SupervisedBerth, startSupervisedBerth, until } from './supervised-berth.ts'

let berth: SupervisedBerth
let host: string

beforeAll(async () => {
  berth = await startSupervisedBerth({ postgresTemplate: inject('postgresTemplate') })
  host = await berth.deploySample()
})

afterAll(() => berth?.close())

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })

test('the processes are announced as one, and the API speaks for both', async () => {
  expect(berth.said().match(/Berth is ready/g)).toHaveLength(1)
  expect(berth.said()).toMatch(/Berth is ready \(.* s; api, worker, ingress\)/)
  expect(berth.said()).toContain(`.berth.localhost:${berth.ingressPort}`)
  expect(berth.said()).not.toContain('Shared')
  expect(berth.processOf('api')).not.toBe(berth.processOf('ingress'))
  const { parts } = await berth.call('GET', '/readyz')
  expect(Object.keys(parts as object).sort()).toEqual([
    'builder',
    'clock',
    'dataDisk',
    'database',
    'engine',
    'ingress',
    'ingressRights',
    'requestReports',
    'rights',
    'tasks',
    'worker',
  ])
  const { text } = await berth.call('GET', '/metrics')
  expect(text).toContain('berth_http_requests_total')
  expect(text).toContain('berth_ingress_requests_total')
})

test('requests to running apps go before the API, the worker and builds', () => {
  const [raised, least] = [getPriority() - 10, constants.priority.PRIORITY_HIGHEST]
  const isRaised = mayRaisePriority() && availableParallelism() > 1
  expect(getPriority(berth.processOf('ingress'))).toBe(isRaised ? Math.max(raised, least) : getPriority())
  expect(getPriority(berth.processOf('api'))).toBe(getPriority() + 5)
})

test('a death of the API and the worker fails no request to a running app, and does not take the database', async () => {
  const database = berth.databaseProcess()
  const load = loadApp({ port: berth.ingressPort, host })
  await until(() => load.answered() > 50)
  const before = berth.processOf('api')
  process.kill(before, 'SIGKILL')
  await until(berth.isReady)
  const answered = load.answered()
  await until(() => load.answered() > answered + 50)
  await load.stop()
  expect(load.failures).toEqual([])
  expect(berth.processOf('api')).not.toBe(before)
  expect(berth.databaseProcess()).toBe(database)
})

test('an ingress that was killed is started again beside an API that goes on', async () => {
  const [api, before] = [berth.processOf('api'), berth.processOf('ingress')]
  process.kill(before, 'SIGKILL')
  await until(async () => !(await isRefused(berth.ingressPort)))
  await until(berth.isReady)
  expect(berth.processOf('ingress')).not.toBe(before)
  expect(berth.processOf('api')).toBe(api)
  const load = loadApp({ port: berth.ingressPort, host })
  await until(() => load.answered() > 20)
  await load.stop()
  expect(load.failures).toEqual([])
})

test('a process that is ended in order is started again, too', async () => {
  const before = berth.processOf('ingress')
  process.kill(before, 'SIGTERM')
  await until(() => !isAlive(before))
  await until(berth.isReady)
  expect(berth.processOf('ingress')).not.toBe(before)
})

test('the processes end with their supervisor, and the next start takes over', async () => {
  const processes = [berth.processOf('api'), berth.processOf('ingress')]
  await berth.end('SIGKILL')
  await berth.start()
  expect(processes.filter(isAlive)).toEqual([])
  expect(berth.said()).not.toContain('Shared')
  const load = loadApp({ port: berth.ingressPort, host })
  await until(() => load.answered() > 20)
  await load.stop()
  expect(load.failures).toEqual([])
})

test('a second start on the same ports names the supervisor of the first', async () => {
  const port = new URL(berth.url).port
  const settings = { PORT: port, INGRESS_PORT: `${berth.ingressPort}`, BERTH_DATA_DIR: berth.dataDir }
  const second = spawnBerth(settings, { isSupervised: true })
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain(`has port ${port}`)
  expect(second.said()).toMatch(new RegExp(`kill ${berth.pid}\\b`))
})

test('a port or a setting that cannot be had ends the start with its reason', async () => {
  const settings = { PORT: `${await freePort()}`, INGRESS_PORT: `${berth.ingressPort}`, BERTH_DATA_DIR: berth.dataDir }
  const taken = spawnBerth(settings, { isSupervised: true })
  const wrong = spawnBerth({ ...settings, BERTH_LEASE_SECONDS: 'long' }, { isSupervised: true })
  expect([await taken.ended, await wrong.ended]).toEqual([1, 1])
  expect(taken.said()).toContain(`has port ${berth.ingressPort}`)
  expect(wrong.said()).toContain('BERTH_LEASE_SECONDS')
})

test('SIGTERM ends everything in order, the database of its own with it', async () => {
  const processes = [berth.processOf('api'), berth.processOf('ingress')]
  const load = loadApp({ port: berth.ingressPort, host, reconnects: false })
  await until(() => load.answered() > 20)
  expect(await berth.end('SIGTERM')).toBe(0)
  await load.stop()
  expect(load.failures.filter((failure) => failure !== CROSSED)).toEqual([])
  expect(processes.filter(isAlive)).toEqual([])
  expect(berth.databaseProcess()).toBeNull()
})

/** Root may not in every container. */
function mayRaisePriority(): boolean {
  const own = getPriority()
  try {
    setPriority(own - 1)
  } catch {
    return false
  }
  setPriority(own)
  return true
}
