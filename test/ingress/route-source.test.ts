import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { RouteSource, type RouteSourceOptions } from '../../src/ingress/routes/route-source.ts'
import { notifyIngresses } from '../../src/storage/events/notifications.ts'
import { createWorld, type World } from '../support/world.ts'
import { openGate } from './database-gate.ts'
import { ask, eventually, startIngress, startReplica } from './fixtures.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** A deployed environment with a replica row for each state, as the worker would record them. */
async function deployed(port: number) {
  const { appEnvId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  const { rolloutId, cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const { host } = await world.database.host.findFirstOrThrow({ where: { appEnvId } })
  for (const [index, state] of (['READY', 'STARTING', 'DRAINING', 'UNREADY'] as const).entries()) {
    const data = { name: `${cliEnvName}-${index}`, appEnvId, contentId, rolloutId: rolloutId ?? '', index }
    await world.database.replica.create({ data: { ...data, address: '127.0.0.1', port: port + index, state } })
  }
  return { appEnvId, cliEnvName, host }
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'berth-ingress-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

async function start(options: Partial<RouteSourceOptions> = {}): Promise<RouteSource> {
  const dataDirectory = options.dataDirectory ?? (await folder())
  const source = new RouteSource({
    databaseUrl: world.url,
    log: pino({ level: 'silent' }),
    pollMs: 200,
    ...options,
    dataDirectory,
  })
  await source.start()
  onTestFinished(() => source.stop())
  return source
}

test('routes are the hosts of live environments with their ready replicas', async () => {
  const { appEnvId, cliEnvName, host } = await deployed(20_000)
  const never = await world.appEnv()
  const { host: emptyHost } = await world.database.host.findFirstOrThrow({ where: { appEnvId: never.appEnvId } })
  await world.database.host.create({ data: { id: 'host_unproven', appEnvId, host: 'unproven.example' } })
  const source = await start()
  expect(source.isReady()).toBe(true)
  expect(source.table?.lookup(host)).toEqual({
    host,
    appEnvId,
    cliEnvName,
    status: 'RUNNING',
    hasDeployment: true,
    keepsEnding: false,
    targets: [
      { name: `${cliEnvName}-0`, address: '127.0.0.1', port: 20_000, contentId: expect.stringMatching(/^con_/) },
    ],
    scaling: null,
  })
  expect(source.table?.lookup(emptyHost)).toMatchObject({ status: 'PENDING', hasDeployment: false, targets: [] })
  expect(source.table?.lookup('unproven.example')).toBeNull()
  await world.database.appEnv.update({ where: { id: appEnvId }, data: { deletedAt: new Date() } })
  await eventually(() => source.table?.lookup(host) === null)
})

test('TCP ports are those of environments with external access, with their first containers', async () => {
  const { appEnvId, cliEnvName } = await deployed(20_000)
  const source = await start()
  expect(source.table?.tcpRoutes).toEqual([])
  const access = { appEnvId, allowedCidrs: ['203.0.113.0/24'] }
  await world.database.externalAccess.create({ data: { ...access, port: 20_000 } })
  await eventually(() => source.table?.tcpRoutes.length === 1)
  expect(source.table?.tcpRoutes).toEqual([
    {
      port: 20_000,
      cliEnvName,
      maxConnections: null,
      ...access,
      // The others copy the first one.
      targets: [{ name: `${cliEnvName}-0`, address: '127.0.0.1', port: 20_000, isReady: true }],
    },
  ])
  const state = (name: 'UNREADY' | 'DRAINING') =>
    world.database.replica.updateMany({ where: { appEnvId, index: 0 }, data: { state: name } })
  // Its connections are kept while it is not ready, and not while it drains.
  await state('UNREADY')
  await eventually(() => source.table?.tcpRoutes[0]?.targets[0]?.isReady === false)
  await state('DRAINING')
  await eventually(() => source.table?.tcpRoutes[0]?.targets.length === 0)
  await world.database.externalAccess.update({ where: { appEnvId }, data: { maxConnections: 7 } })
  await eventually(() => source.table?.tcpRoutes[0]?.maxConnections === 7)
  await world.database.externalAccess.update({ where: { appEnvId }, data: { port: null } })
  await eventually(() => source.table?.tcpRoutes.length === 0)
  await world.database.externalAccess.update({ where: { appEnvId }, data: { port: 20_001 } })
  await eventually(() => source.table?.tcpRoutes.length === 1)
  await world.database.appEnv.update({ where: { id: appEnvId }, data: { deletedAt: new Date() } })
  await eventually(() => source.table?.tcpRoutes.length === 0)
})

test('an ingress that starts while the database is away opens the TCP ports of its last table', async () => {
  const { appEnvId } = await deployed(20_010)
  await world.database.externalAccess.create({ data: { appEnvId, allowedCidrs: ['127.0.0.1'], port: 20_000 } })
  const dataDirectory = await folder()
  const first = await start({ dataDirectory })
  await eventually(() => first.table?.tcpRoutes.length === 1)
  await first.stop()
  const unreachable = new URL(world.url)
  unreachable.port = '1'
  const second = await start({ dataDirectory, databaseUrl: unreachable.href })
  expect(second.table?.tcpRoutes).toEqual(first.table?.tcpRoutes)
  await world.database.externalAccess.delete({ where: { appEnvId } })
})

test('an app without replicas keeps ending once the engine, or Berth, has started it three times in ten minutes', async () => {
  const { appEnvId, host } = await deployed(20_005)
  const contentId = await world.deploy(appEnvId)
  await world.database.replica.deleteMany({ where: { appEnvId } })
  const source = await start({ pollMs: 50 })
  const keepsEnding = (is: boolean) => eventually(() => source.table?.lookup(host)?.keepsEnding === is)
  await keepsEnding(false)
  const container = (containerId: string, fields = {}) =>
    world.database.container.create({
      data: { containerId, appEnvId, contentId, name: 'one', phase: 'restarting', startedAt: new Date(), ...fields },
    })
  await container('restarted by the engine', { restartCount: 2 })
  await container('of long ago', { restartCount: 9, startedAt: new Date(Date.now() - 11 * 60_000) })
  await container('of another version', { restartCount: 9, contentId: 'con_other' })
  await keepsEnding(false)
  await container('made again by Berth')
  await keepsEnding(true)
  const ingress = await startIngress(null)
  source.follow((table) => ingress.source.replace(table))
  expect((await ask(ingress.port, { host })).body).toContain('has ended each time')
  const replica = { name: 'ready', appEnvId, contentId, rolloutId: 'op_1', index: 0, state: 'READY' } as const
  await world.database.replica.create({ data: { ...replica, address: '127.0.0.1', port: 20_005 } })
  await keepsEnding(false)
})

test('a notification brings a change at once, a poll brings it without one, and no change brings no new table', async () => {
  const { appEnvId, host } = await deployed(20_010)
  const targets = (source: RouteSource) => source.table?.lookup(host)?.targets.length
  const slow = await start({ pollMs: 60_000 })
  const quick = await start({ pollMs: 50 })
  const tables: unknown[] = []
  quick.follow((table) => tables.push(table))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(tables).toHaveLength(1)
  await eventually(() => quick.lagSeconds() < 0.3)
  await world.database.replica.updateMany({ where: { appEnvId }, data: { state: 'READY' } })
  await eventually(() => targets(quick) === 4)
  expect(targets(slow)).toBe(1)
  await world.database.$transaction((tx) => notifyIngresses(tx))
  await eventually(() => targets(slow) === 4)
})

test('while the database is away the last table serves, also after a restart; then changes arrive again', async () => {
  const replica = await startReplica((_request, response) => response.end('served'))
  const { appEnvId, host } = await deployed(replica.target.port)
  const gate = await openGate(world.url)
  onTestFinished(() => gate.dispose())
  const dataDirectory = await folder()
  const before = await start({ databaseUrl: gate.url, dataDirectory })
  const path = join(dataDirectory, 'ingress-table.json')
  await eventually(() => before.isReady())
  gate.close()
  await before.stop()
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(dataDirectory)).toEqual(['ingress-table.json'])

  const after = await start({ databaseUrl: gate.url, dataDirectory })
  expect(after.isReady()).toBe(true)
  expect(after.lagSeconds()).toBe(Number.POSITIVE_INFINITY)
  const ingress = await startIngress(null)
  after.follow((table) => ingress.source.replace(table))
  expect((await ask(ingress.port, { host })).body).toBe('served')

  await world.database.replica.deleteMany({ where: { appEnvId } })
  gate.open()
  await eventually(() => after.table?.lookup(host)?.targets.length === 0)
  expect((await ask(ingress.port, { host })).headers['x-berth-error']).toBe('NO_READY_REPLICA')
  await eventually(() => after.lagSeconds() < 1)
})

test('a connection that dies without a word is noticed and replaced', async () => {
  const { appEnvId, host } = await deployed(20_020)
  const gate = await openGate(world.url)
  onTestFinished(() => gate.dispose())
  const source = await start({ databaseUrl: gate.url, pollMs: 100 })
  gate.freeze()
  await world.database.replica.deleteMany({ where: { appEnvId } })
  await eventually(() => source.table?.lookup(host)?.targets.length === 0)
})

test('without database and file there is no table; a file that is broken counts as none', async () => {
  const gate = await openGate(world.url)
  onTestFinished(() => gate.dispose())
  gate.close()
  const dataDirectory = await folder()
  expect((await start({ databaseUrl: gate.url, dataDirectory })).isReady()).toBe(false)
  await writeFile(join(dataDirectory, 'ingress-table.json'), '{"format":1,"routes":[{"host":1}]}')
  const source = await start({ databaseUrl: gate.url, dataDirectory })
  expect(source.isReady()).toBe(false)
  gate.open()
  await eventually(() => source.isReady())
  const kept = async () => JSON.parse(await readFile(join(dataDirectory, 'ingress-table.json'), 'utf8')).routes.length
  await expect.poll(kept).toBeGreaterThan(0)
  await expect.poll(kept).toBe(source.table?.toJSON().length)
})
