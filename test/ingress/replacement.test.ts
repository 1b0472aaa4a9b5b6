import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ask, eventually, type Replica, routeTo, startIngress, startReplica } from './fixtures.ts'

const CLIENTS = 20
const SWAPS = 12
/** Enough that connections are reused, closed and opened while replicas are replaced. */
const REQUESTS_PER_SWAP = 90
const DRAIN_MS = 1_500
/**
 * A server that stands still for longer than this after its last answer closes connections on which requests have
 * already arrived, and no proxy can know it. Clients, ingress and servers share this process.
 */
const STANDSTILL_MS = 400
const ATTEMPTS = 5

/** A container of one version, which closes idle connections early, as many servers do. */
const startVersion = (version: number) =>
  startReplica(
    (request, response) => {
      request.resume()
      setTimeout(() => response.end(`v${version}`), Math.random() * 5)
    },
    { keepAliveTimeout: 1_000 },
  )

/** What happens to a container that was replaced: it is drained, then its server closes. */
async function retire({ server }: Replica): Promise<void> {
  await sleep(DRAIN_MS)
  const httpServer = server as http.Server
  httpServer.close()
  httpServer.closeIdleConnections()
}

test('no request fails while replicas are replaced under load, whatever its method', { timeout: 600_000 }, async () => {
  for (let attempt = 1; ; attempt += 1) {
    const { failures, answered, versions, longestStandstillMs } = await replaceUnderLoad()
    if (failures.length > 0 && longestStandstillMs > STANDSTILL_MS && attempt < ATTEMPTS) continue
    expect(failures).toEqual([])
    expect(answered).toBeGreaterThan(SWAPS * REQUESTS_PER_SWAP)
    expect(versions).toBe(SWAPS + 1)
    return
  }
})

async function replaceUnderLoad() {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  let serving = await Promise.all([startVersion(0), startVersion(0)])
  const ingress = await startIngress([routeTo(serving.map(({ target }) => target))])
  const failures: unknown[] = []
  const retirements: Promise<void>[] = []
  const seen = new Set<string>()
  let answered = 0
  let isOver = false
  const visit = async (client: number) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const method = client % 2 === 0 ? 'GET' : 'POST'
    while (!isOver) {
      const answer = await ask(ingress.port, { agent, method, body: method === 'POST' ? 'x' : undefined }).catch(String)
      if (typeof answer === 'string' || answer.status !== 200) failures.push(answer)
      else seen.add(answer.body)
      answered += 1
      // Pauses as long as the servers' idle timeout bring connections to the edge of being closed.
      if (client >= 15) await sleep(900 + Math.random() * 200)
    }
    agent.destroy()
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => visit(client))
  for (let version = 1; version <= SWAPS; version += 1) {
    // However slow the machine: so many requests meet each version.
    const before = answered
    await sleep(250)
    while (answered < before + REQUESTS_PER_SWAP) await sleep(10)
    const next = await Promise.all([startVersion(version), startVersion(version)])
    ingress.route(next.map(({ target }) => target))
    retirements.push(...serving.map(retire))
    serving = next
  }
  await Promise.all(retirements)
  isOver = true
  await Promise.all(clients)
  delay.disable()
  return { failures, answered, versions: seen.size, longestStandstillMs: delay.max / 1e6 }
}

test('connections to a replica that has left the table close as soon as nothing is under way on them', async () => {
  const old = await startReplica(
    ({ url }, response) => void setTimeout(() => response.end('old'), url === '/slow' ? 300 : 0),
  )
  const ingress = await startIngress([routeTo([old.target])])
  const slow = ask(ingress.port, { path: '/slow' })
  await ask(ingress.port)
  const connections = () => new Promise<number>((resolve) => old.server.getConnections((_, count) => resolve(count)))
  expect(await connections()).toBe(2)
  const next = await startReplica((_request, response) => response.end('new'))
  ingress.route([next.target])
  await sleep(50)
  expect(await connections()).toBe(1)
  expect((await slow).body).toBe('old')
  await sleep(50)
  expect(await connections()).toBe(0)
  expect((await ask(ingress.port)).body).toBe('new')
})

test('closing lets requests end, takes no new ones, and does not wait beyond its time', async () => {
  const replica = await startReplica(({ url }, response) => {
    if (url === '/never') response.write('begun')
    else setTimeout(() => response.end('done'), 200)
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const agent = new http.Agent({ keepAlive: true })
  const answer = ask(ingress.port, { agent })
  await eventually(() => replica.requests === 1)
  // Longer than a test may take.
  const closing = ingress.close(600)
  await expect(ask(ingress.port)).rejects.toThrow(/ECONNREFUSED/)
  expect((await answer).headers.connection).toBe('close')
  await closing

  const second = await startIngress([routeTo([replica.target])])
  const never = ask(second.port, { path: '/never' })
  const broken = expect(never).rejects.toThrow()
  await eventually(() => replica.requests === 2)
  await second.close(0.2)
  await broken
})
