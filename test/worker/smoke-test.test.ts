import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askSmokeTest } from '../../src/worker/probes/smoke-test.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let appEnvId: string
let host: string
let port: number
const server = createServer(({ url, headers }, response) => {
  response.writeHead(url === '/broken' ? 500 : 200).end(`pong for ${headers.host} by ${headers['x-forwarded-proto']}`)
})

beforeAll(async () => {
  world = await createWorld()
  appEnvId = (await world.appEnv()).appEnvId
  host = (await world.database.host.findFirstOrThrow({ where: { appEnvId }, orderBy: { id: 'asc' } })).host
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await world?.close()
})

const ask = (path: string, contains?: string) => askSmokeTest(world.database, appEnvId, { path, status: 200, contains })

test('waits for a container that is ready', async () => {
  expect(await ask('/')).toEqual({ passed: false, reason: 'no container is ready' })
  const contentId = await world.deploy(appEnvId)
  const place = { name: 'one', appEnvId, contentId, rolloutId: 'ro_1', index: 0, address: '127.0.0.1', port }
  await world.database.replica.create({ data: { ...place, state: 'STARTING' } })
  expect(await ask('/')).toEqual({ passed: false, reason: 'no container is ready' })
  await world.database.replica.update({ where: { name: 'one' }, data: { state: 'READY' } })
  expect(await ask('/')).toEqual({ passed: true, reason: 'GET / answered 200' })
})

test('asks as the ingress would', async () => {
  expect((await ask('/', `pong for ${host} by http`)).passed).toBe(true)
})

test('says what came instead', async () => {
  expect(await ask('/broken')).toEqual({ passed: false, reason: 'GET /broken answered 500 instead of 200' })
  expect(await ask('/', 'ping')).toEqual({ passed: false, reason: 'GET / answered without “ping”' })
})

test('does not fail with its container', async () => {
  await world.database.replica.update({ where: { name: 'one' }, data: { port: 1 } })
  expect(await ask('/')).toEqual({ passed: false, reason: 'connection refused on port 1' })
})

test('leaves what sleeps asleep', async () => {
  const scaling = { minScale: 0, maxScale: 1, concurrency: 1, idleSeconds: 1, timeoutSeconds: 1 }
  await world.database.requestScaling.create({ data: { appEnvId, ...scaling, depth: 'STOPPED' } })
  expect((await ask('/')).passed).toBe(true)
})
