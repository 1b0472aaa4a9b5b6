import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { RouteSource } from '../../src/ingress/routes/route-source.ts'
import { CurrentTable, RouteTable } from '../../src/ingress/routes/route-table.ts'
import { createWorld, type World } from '../support/world.ts'
import { openGate } from './database-gate.ts'
import { ask, startIngress, startReplica, talk } from './fixtures.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** An ingress that hears of nothing, and would find out in a minute. */
async function deafIngress(databaseUrl = world.url) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'berth-ingress-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const source = new RouteSource({ databaseUrl, dataDirectory, log: pino({ level: 'silent' }), pollMs: 60_000 })
  await source.start()
  onTestFinished(() => source.stop())
  return startIngress(null, {}, undefined, source)
}

async function deployment(port: number) {
  const { appEnvId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  const { rolloutId, cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const { host } = await world.database.host.findFirstOrThrow({ where: { appEnvId } })
  const replica = { name: `${cliEnvName}-0`, appEnvId, contentId, rolloutId: rolloutId ?? '', index: 0 }
  const becomeReady = () =>
    world.database.replica.create({ data: { ...replica, address: '127.0.0.1', port, state: 'READY' } })
  return { appEnvId, host, becomeReady }
}

const greeting = () => startReplica((_request, response) => response.end('served'))

test('a request is not refused for what has changed since the table was read', async () => {
  const { target } = await greeting()
  const first = await deployment(target.port)
  const ingress = await deafIngress()
  expect(await ask(ingress.port, { host: first.host })).toMatchObject({ status: 503 })
  await first.becomeReady()
  expect(await ask(ingress.port, { host: first.host })).toMatchObject({ status: 200, body: 'served' })

  // Neither for a host of which the table knows nothing.
  const second = await deployment(target.port)
  await second.becomeReady()
  expect(await ask(ingress.port, { host: second.host, method: 'POST', body: 'x'.repeat(100_000) })).toMatchObject({
    status: 200,
  })
  expect(await ask(ingress.port, { host: 'nobody.example' })).toMatchObject({
    status: 404,
    headers: { 'x-berth-error': 'HOST_NOT_FOUND' },
  })
})

test('requests on one connection keep their order while one is held', async () => {
  const { target } = await greeting()
  const { host, becomeReady } = await deployment(target.port)
  await becomeReady()
  const ingress = await deafIngress()
  const requests = ['nobody.example', host].map((name) => `GET / HTTP/1.1\r\nHost: ${name}\r\n\r\n`).join('')
  expect(statusesIn(await talk(ingress.port, requests))).toEqual(['404', '200'])
})

test('many requests share one read; nobody waits for a database that is away, or long for one that is silent', async () => {
  const gate = await openGate(world.url)
  onTestFinished(() => gate.dispose())
  const ingress = await deafIngress(gate.url)
  const read = ingress.source.caughtUp()
  expect(read).not.toBeNull()
  expect(ingress.source.caughtUp()).toBe(read)
  await read
  expect(ingress.source.caughtUp()).not.toBe(read)
  gate.freeze()
  expect(await ask(ingress.port, { host: 'nobody.example' })).toMatchObject({ status: 404 })
  gate.close()
  await expect.poll(() => ingress.source.caughtUp()).toBeNull()
  expect(await ask(ingress.port, { host: 'nobody.example' })).toMatchObject({ status: 404 })
})

test('beyond a thousand requests are refused at once, and clients that leave make room', async () => {
  const reads: (() => void)[] = []
  class SlowTable extends CurrentTable {
    override caughtUp() {
      return new Promise<void>((resolve) => reads.push(resolve))
    }
  }
  const source = new SlowTable()
  source.replace(new RouteTable([]))
  const ingress = await startIngress(null, { BERTH_INGRESS_CONNECTIONS_PER_CLIENT: '2000' }, undefined, source)
  const agent = new Agent({ keepAlive: false })
  const held = Array.from({ length: 1_000 }, () => ask(ingress.port, { agent }))
  const outcomes = Promise.allSettled(held)
  await expect.poll(() => reads.length).toBe(1_000)
  expect(await ask(ingress.port)).toMatchObject({ status: 404 })
  expect(reads).toHaveLength(1_000)
  agent.destroy()
  for (const end of reads.splice(0)) end()
  expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true)
  const next = ask(ingress.port)
  await expect.poll(() => reads.length).toBe(1)
  reads[0]?.()
  expect(await next).toMatchObject({ status: 404 })
})

const statusesIn = (answers: string) => [...answers.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status)
