import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, freePorts, isFree } from '../support/free-ports.ts'
import { deadTarget, eventually, startRawReplica } from './fixtures.ts'
import { connectTo, echoes, startEcho, startTcpIngress, tcpRouteTo } from './tcp-fixtures.ts'

test('a port leads to the containers of its environment, and is open only while the table has it', async () => {
  const [one, two] = (await freePorts(2)) as [number, number]
  const first = await startEcho('first:')
  const second = await startEcho('second:')
  const { route } = await startTcpIngress([one, two], [tcpRouteTo(one, [first.target])])
  const client = connectTo(one)
  client.socket.write('select 1')
  await eventually(() => client.text() === 'first:select 1')
  expect(await isFree(two)).toBe(true)

  await route(tcpRouteTo(one, [first.target]), tcpRouteTo(two, [second.target]))
  const other = connectTo(two)
  await eventually(() => other.text() === 'second:')

  await route(tcpRouteTo(two, [second.target]))
  await eventually(() => client.ending() === 'reset')
  expect(await isFree(one)).toBe(true)
  other.socket.write('still')
  await eventually(() => other.text() === 'second:still')
})

test('a port that passes to another environment takes no connection along', async () => {
  const port = await freePort()
  const [former, next] = [await startEcho('former:'), await startEcho('next:')]
  const { route } = await startTcpIngress([port], [tcpRouteTo(port, [former.target])])
  const client = connectTo(port)
  await eventually(() => client.text() === 'former:')
  await route(tcpRouteTo(port, [next.target], { appEnvId: 'env_next' }))
  await eventually(() => client.ending() === 'reset')
  const again = connectTo(port)
  await eventually(() => again.text() === 'next:')
})

test('ports that this ingress was not given stay closed', async () => {
  const [own, foreign] = (await freePorts(2)) as [number, number]
  const { target } = await startEcho()
  await startTcpIngress([own], [tcpRouteTo(own, [target]), tcpRouteTo(foreign, [target])])
  expect(await echoes(own)).toBe(true)
  expect(await isFree(foreign)).toBe(true)
})

test.each([
  ['the address itself', ['127.0.0.1'], true],
  ['a range that has it', ['127.0.0.0/8'], true],
  ['another address', ['127.0.0.2'], false],
  ['a range beside it', ['127.0.1.0/24'], false],
  ['everyone of the other family', ['::/0'], false],
  ['everyone', ['0.0.0.0/0'], true],
])('a client is admitted by its address: %s', async (_which, allowedCidrs, isAllowed) => {
  const port = await freePort()
  const replica = await startEcho()
  const { metric } = await startTcpIngress([port], [tcpRouteTo(port, [replica.target], { allowedCidrs })])
  expect(await echoes(port)).toBe(isAllowed)
  expect(replica.requests).toBe(isAllowed ? 1 : 0)
  const refused = await metric(`berth_ingress_tcp_refused_total{app_env="env_${port}",reason="NOT_ALLOWED"}`)
  expect(refused).toEqual(isAllowed ? Number.NaN : 1)
})

test('IPv4 and IPv6 clients of a port that listens for both are told apart', async () => {
  const port = await freePort()
  const { target } = await startEcho()
  const settings = { BERTH_TCP_HOST: '::' }
  const { route } = await startTcpIngress(
    [port],
    [tcpRouteTo(port, [target], { allowedCidrs: ['127.0.0.1'] })],
    settings,
  )
  // As the socket reports it: ::ffff:127.0.0.1.
  expect(await echoes(port, { host: '127.0.0.1' })).toBe(true)
  expect(await echoes(port, { host: '::1' })).toBe(false)
  await route(tcpRouteTo(port, [target], { allowedCidrs: ['::/0'] }))
  expect(await echoes(port, { host: '127.0.0.1' })).toBe(false)
  expect(await echoes(port, { host: '::1' })).toBe(true)
})

test('who is taken off the allow list is disconnected, and nobody else', async () => {
  const port = await freePort()
  const { target } = await startEcho()
  const { route } = await startTcpIngress([port], [tcpRouteTo(port, [target])])
  const [staying, leaving] = [connectTo(port), connectTo(port, { localAddress: '127.0.0.2' })]
  for (const { socket } of [staying, leaving]) socket.write('x')
  await eventually(() => staying.text() === 'x' && leaving.text() === 'x')
  await route(tcpRouteTo(port, [target], { allowedCidrs: ['127.0.0.1'] }))
  await eventually(() => leaving.ending() === 'reset')
  staying.socket.write('y')
  await eventually(() => staying.text() === 'xy')
})

test('connections over a cap are refused, and admitted again once others have ended', async () => {
  const [one, two] = (await freePorts(2)) as [number, number]
  const { target } = await startEcho()
  const settings = { BERTH_TCP_CONNECTIONS_PER_CLIENT: '3', BERTH_TCP_MAX_CONNECTIONS: '5' }
  const routes = [tcpRouteTo(one, [target], { maxConnections: 2 }), tcpRouteTo(two, [target])]
  const { metric } = await startTcpIngress([one, two], routes, settings)
  const opened = async (port: number, localAddress = '127.0.0.1') => {
    const client = connectTo(port, { localAddress })
    client.socket.write('x')
    await eventually(() => client.text() === 'x' || client.ending() !== null)
    return client
  }
  const refusals = (port: number, reason: string) =>
    metric(`berth_ingress_tcp_refused_total{app_env="env_${port}",reason="${reason}"}`)

  const held = [await opened(one), await opened(one)]
  expect((await opened(one)).ending()).toBe('reset')
  expect(await refusals(one, 'TOO_MANY_OF_ENVIRONMENT')).toBe(1)
  // Its own cap leaves the other environment alone; that of the client counts for both.
  held.push(await opened(two))
  expect((await opened(two)).ending()).toBe('reset')
  expect(await refusals(two, 'TOO_MANY_FROM_CLIENT')).toBe(1)
  // An environment gets at most half of what the process has.
  expect((await opened(two, '127.0.0.2')).ending()).toBeNull()
  expect((await opened(two, '127.0.0.3')).ending()).toBe('reset')
  expect(await refusals(two, 'TOO_MANY_OF_ENVIRONMENT')).toBe(1)

  expect(await metric(`berth_ingress_tcp_connections{app_env="env_${one}"}`)).toBe(2)
  for (const { socket } of held) socket.destroy()
  while ((await metric(`berth_ingress_tcp_connections{app_env="env_${one}"}`)) > 0) await sleep(10)
  expect((await opened(one)).ending()).toBeNull()
})

test('a container that is replaced keeps its connections for the drain time, and gets no new ones', async () => {
  const port = await freePort()
  const [old, next] = [await startEcho('old:'), await startEcho('new:')]
  const { route } = await startTcpIngress([port], [tcpRouteTo(port, [old.target])], { BERTH_DRAIN_SECONDS: '1' })
  const client = connectTo(port)
  await eventually(() => client.text() === 'old:')
  await route(tcpRouteTo(port, [next.target]))
  client.socket.write('bye')
  await eventually(() => client.text() === 'old:bye')
  const other = connectTo(port)
  await eventually(() => other.text() === 'new:')
  await eventually(() => client.ending() === 'reset')
  expect(other.ending()).toBeNull()
})

test('a container that is not ready for a while keeps its connections', async () => {
  const port = await freePort()
  const { target } = await startEcho('one:')
  const { route } = await startTcpIngress([port], [tcpRouteTo(port, [target])], { BERTH_DRAIN_SECONDS: '1' })
  const client = connectTo(port)
  await eventually(() => client.text() === 'one:')
  await route(tcpRouteTo(port, [], { targets: [{ ...target, isReady: false }] }))
  expect(await echoes(port)).toBe(false)
  // Gone from the table, then back before the drain time is over.
  await route(tcpRouteTo(port, []))
  await route(tcpRouteTo(port, [target]))
  await sleep(1_200)
  client.socket.write('there')
  await eventually(() => client.text() === 'one:there')
})

test('while nothing is ready, clients are refused at once and the port stays open', async () => {
  const port = await freePort()
  const { target } = await startEcho()
  const { route, metric } = await startTcpIngress([port], [tcpRouteTo(port, [])])
  expect(await echoes(port)).toBe(false)
  expect(await metric(`berth_ingress_tcp_refused_total{app_env="env_${port}",reason="NOT_SERVING"}`)).toBe(1)
  await route(tcpRouteTo(port, [target]))
  expect(await echoes(port)).toBe(true)
})

test('a container that refuses is passed over for another one', async () => {
  const port = await freePort()
  const [dead, alive] = [await deadTarget(), await startEcho()]
  const { route, metric } = await startTcpIngress([port], [tcpRouteTo(port, [dead, alive.target])])
  for (let count = 0; count < 3; count += 1) expect(await echoes(port)).toBe(true)
  await route(tcpRouteTo(port, [dead]))
  expect(await echoes(port)).toBe(false)
  expect(await metric(`berth_ingress_tcp_refused_total{app_env="env_${port}",reason="UNREACHABLE"}`)).toBe(1)
})

test('connections go to the container that has the fewest', async () => {
  const port = await freePort()
  const replicas = [await startEcho('x'), await startEcho('x'), await startEcho('x')]
  await startTcpIngress(
    [port],
    [
      tcpRouteTo(
        port,
        replicas.map(({ target }) => target),
      ),
    ],
  )
  for (let count = 0; count < 6; count += 1) {
    const client = connectTo(port)
    await eventually(() => client.text() === 'x')
  }
  expect(replicas.map(({ requests }) => requests)).toEqual([2, 2, 2])
})

test('a port that another program has is reported, and opened once it is free', async () => {
  const [port, other] = (await freePorts(2)) as [number, number]
  const foreign = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void foreign.close())
  await once(foreign, 'listening')
  const { target } = await startEcho()
  const { ingress, route } = await startTcpIngress([port, other], [])
  const opened = route(tcpRouteTo(port, [target]), tcpRouteTo(other, [target]))
  await eventually(() => ingress.problems().join() === `port ${port} is taken by another program`)
  expect(await echoes(other)).toBe(true)
  foreign.close()
  await opened
  expect(ingress.problems()).toEqual([])
  expect(await echoes(port)).toBe(true)
})

test('two ingresses do not share a port: the second one has it when the first is gone', async () => {
  const port = await freePort()
  const [first, second] = [await startEcho('first:'), await startEcho('second:')]
  const { ingress } = await startTcpIngress([port], [tcpRouteTo(port, [first.target])])
  const waiting = startTcpIngress([port], [tcpRouteTo(port, [second.target])])
  for (let count = 0; count < 10; count += 1) {
    const client = connectTo(port)
    await eventually(() => client.text() === 'first:')
    client.socket.destroy()
  }
  await ingress.close(0)
  await waiting
  const client = connectTo(port)
  await eventually(() => client.text() === 'second:')
})

test('an ingress that closes lets connections end, and ends those that do not', async () => {
  const port = await freePort()
  const { target } = await startRawReplica((socket) => socket.on('data', () => socket.end('done')))
  const { ingress } = await startTcpIngress([port], [tcpRouteTo(port, [target])])
  const [finishing, idle] = [connectTo(port), connectTo(port)]
  await Promise.all([finishing, idle].map(({ socket }) => once(socket, 'connect')))
  await sleep(50)
  const closed = ingress.close(1)
  finishing.socket.end('last')
  await closed
  await eventually(() => finishing.ending() !== null && idle.ending() !== null)
  expect([finishing.text(), finishing.ending(), idle.ending()]).toEqual(['done', 'ended', 'reset'])
  expect(await isFree(port)).toBe(true)
})
