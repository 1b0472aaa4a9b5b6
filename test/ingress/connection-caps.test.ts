import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ask, eventually, HOST, type Replica, routeTo, startIngress, startReplica, talk } from './fixtures.ts'

const OTHER_HOST = 'default-other-production.berth.localhost'
const REQUEST = `GET /held HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`

/** A replica that answers /held only when it is released, and everything else at once. */
async function startHolding() {
  const held: ServerResponse[] = []
  const replica = await startReplica((request, response) => {
    if (request.url === '/held') held.push(response)
    else response.end('free')
  })
  const release = () => held.shift()?.end('released')
  return { replica, held, release }
}

const connectionsOf = (replica: Replica): Promise<number> =>
  new Promise((resolve) => replica.server.getConnections((_error, count) => resolve(count)))

test('pipelined requests of one connection are sent to the app one after the other', async () => {
  const { replica, held, release } = await startHolding()
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connect(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  let answer = ''
  client.on('data', (chunk) => {
    answer += chunk
  })
  client.write(REQUEST.repeat(50))
  await eventually(() => held.length > 0)
  // The next request goes on its way only after an answer, so this order proves that no other has begun.
  expect((await ask(ingress.port)).body).toBe('free')
  expect(held.length).toBe(1)
  for (let count = 1; count <= 50; count += 1) {
    await eventually(() => held.length === 1)
    release()
    await eventually(() => answer.split('released').length > count)
  }
  expect(await connectionsOf(replica)).toBeLessThanOrEqual(2)
})

test('a client that does not wait for answers is read no further meanwhile, and gets all of them', async () => {
  const { replica, held, release } = await startHolding()
  const ingress = await startIngress([routeTo([replica.target])])
  const client = connect(ingress.port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  let answers = 0
  client.on('data', (bytes: Buffer) => {
    answers += bytes.toString().split('released').length - 1
  })
  // More than the kernel holds of a connection.
  const requests = 1_600
  client.write(REQUEST.replace('\r\n\r\n', `\r\nX-Padding: ${'x'.repeat(12_000)}\r\n\r\n`).repeat(requests))
  await eventually(() => held.length === 1)
  let unsent = -1
  while (unsent !== client.writableLength) {
    unsent = client.writableLength
    await sleep(200)
  }
  expect(unsent).toBeGreaterThan(0)
  expect(replica.requests).toBe(1)
  for (; answers < requests; await new Promise((resolve) => setImmediate(resolve))) release()
  expect(replica.requests).toBe(requests)
})

test('a request to switch protocols behind an unanswered one does not end the process', async () => {
  const { replica, held, release } = await startHolding()
  const ingress = await startIngress([routeTo([replica.target])])
  const upgrade = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`
  const answered = talk(ingress.port, `${REQUEST}${upgrade}`, 1_000)
  await eventually(() => held.length === 1)
  release()
  expect(await answered).toMatch(/released[\s\S]*HTTP\/1\.1 200 OK[\s\S]*free$/)
  expect((await ask(ingress.port)).body).toBe('free')
})

test('over the cap of a replica, requests wait for those before them', async () => {
  const { replica, held, release } = await startHolding()
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_CONNECTIONS_PER_REPLICA: '2' })
  const first = [ask(ingress.port, { path: '/held' }), ask(ingress.port, { path: '/held' })]
  await eventually(() => held.length === 2)
  const waiting = ask(ingress.port)
  await eventually(() => ingress.server.listening && replica.requests === 2)
  expect(await ingress.registry.metrics()).toMatch(/berth_ingress_requests_waiting [01]\n/)
  release()
  expect((await waiting).body).toBe('free')
  release()
  expect((await Promise.all(first)).map(({ body }) => body)).toEqual(['released', 'released'])
})

test('a request that waited too long is told that the app has too many connections', async () => {
  const { replica, held, release } = await startHolding()
  const settings = { BERTH_INGRESS_CONNECTIONS_PER_REPLICA: '1', BERTH_INGRESS_QUEUE_SECONDS: '1' }
  const ingress = await startIngress([routeTo([replica.target])], settings)
  const first = ask(ingress.port, { path: '/held' })
  await eventually(() => held.length === 1)
  const answer = await ask(ingress.port)
  expect(answer.status).toBe(503)
  expect(answer.headers).toMatchObject({ 'x-berth-error': 'TOO_MANY_CONNECTIONS', 'retry-after': expect.any(String) })
  expect(JSON.parse(answer.body).detail).toMatch(/too many connections to "default-shop-production"/i)
  release()
  expect((await first).body).toBe('released')
})

test('one app that holds its connections leaves room for others', async () => {
  const { replica, held } = await startHolding()
  const other = await startHolding()
  const routes = [
    routeTo([replica.target]),
    routeTo([other.replica.target], { host: OTHER_HOST, appEnvId: 'env_2', cliEnvName: 'default-other-production' }),
  ]
  const ingress = await startIngress(routes, {}, { maxUpstreams: 8, maxClients: 100 })
  const holders = Array.from({ length: 20 }, () => ask(ingress.port, { path: '/held' }).catch(() => null))
  // An app may have half of what the process has.
  await eventually(() => held.length === 4)
  for (let count = 0; count < 5; count += 1) {
    expect((await ask(ingress.port, { host: OTHER_HOST })).body).toBe('free')
  }
  expect(held.length).toBe(4)
  await ingress.close(0)
  await Promise.all(holders)
})

test('idle connections to one app give way to requests to another', async () => {
  const { replica } = await startHolding()
  const other = await startHolding()
  const routes = [routeTo([replica.target]), routeTo([other.replica.target], { host: OTHER_HOST, appEnvId: 'env_2' })]
  const ingress = await startIngress(routes, {}, { maxUpstreams: 2, maxClients: 100 })
  await ask(ingress.port)
  for (let count = 0; count < 3; count += 1) {
    const [one, two] = await Promise.all([ask(ingress.port), ask(ingress.port, { host: OTHER_HOST })])
    expect([one.status, two.status]).toEqual([200, 200])
  }
  expect((await connectionsOf(replica)) + (await connectionsOf(other.replica))).toBeLessThanOrEqual(2)
})

test('one client address has a cap of its own', async () => {
  const { replica, held, release } = await startHolding()
  const settings = { BERTH_INGRESS_CONNECTIONS_PER_CLIENT: '2', BERTH_TRUSTED_PROXIES: '127.0.0.1' }
  const ingress = await startIngress([routeTo([replica.target])], settings)
  const from = (address: string, path: string) =>
    ask(ingress.port, { path, headers: { 'x-forwarded-for': `9.9.9.9, ${address}` } })
  const first = [from('8.8.8.8', '/held'), from('8.8.8.8', '/held')]
  await eventually(() => held.length === 2)
  const refused = await from('8.8.8.8', '/')
  expect(refused.status).toBe(429)
  expect(refused.headers).toMatchObject({ 'x-berth-error': 'TOO_MANY_FROM_CLIENT', 'retry-after': expect.any(String) })
  expect((await from('8.8.4.4', '/')).body).toBe('free')
  release()
  release()
  await Promise.all(first)
  expect((await from('8.8.8.8', '/')).body).toBe('free')
})

test('a client that opens too many connections of its own gets no more of them', async () => {
  const { replica } = await startHolding()
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_INGRESS_CONNECTIONS_PER_CLIENT: '3' })
  const idle = await Promise.all(
    [1, 2, 3].map(async () => {
      const socket = connect(ingress.port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    }),
  )
  const refused = await ask(ingress.port)
  expect(refused.status).toBe(429)
  expect(refused.headers['x-berth-error']).toBe('TOO_MANY_FROM_CLIENT')
  for (const socket of idle) socket.destroy()
  await expect.poll(async () => (await ask(ingress.port)).status).toBe(200)
})
