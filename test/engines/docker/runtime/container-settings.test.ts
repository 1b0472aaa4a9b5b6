import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { containerSettings } from '../../../../src/app-types/container-settings.ts'
import type { ContainerSettings } from '../../../../src/domain/container-settings.ts'
import { bridgePrefix } from '../../../../src/engines/bridge-interface.ts'
import { networkName } from '../../../../src/engines/docker/networks.ts'
import { chainsOf } from '../../../../src/platform/host-firewall/firewall-rules.ts'
import { runOf } from '../../../contracts/container-runtime/runs.ts'
import { createWorld, eventually, onlyReplica, said, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness as harness } from '../../../support/docker-harness.ts'

const docker = new Docker()
let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

/** What a program finds out about its own container. */
const TELL = `
  const fs = require('node:fs')
  const read = (path) => { try { return fs.readFileSync(path, 'utf8') } catch (error) { return error.code } }
  const status = read('/proc/self/status')
  const tryTo = (path) => { try { fs.writeFileSync(path, 'x'); return 'written' } catch (error) { return error.code } }
  const limit = (words) => new RegExp('^' + words + '\\\\s+(\\\\S+)\\\\s+(\\\\S+)', 'm').exec(read('/proc/self/limits')).slice(1)
  const shared = fs.statfsSync('/dev/shm')
  console.log(JSON.stringify({
    ids: [process.getuid(), process.getgid()],
    directory: process.cwd(),
    hostname: require('node:os').hostname(),
    capabilities: parseInt(/^CapBnd:\\s*(\\S+)/m.exec(status)[1], 16),
    noNewPrivileges: /^NoNewPrivs:\\s*(\\S+)/m.exec(status)[1],
    first: read('/proc/1/comm').trim(),
    openFiles: limit('Max open files'),
    locked: limit('Max locked memory'),
    sharedMb: shared.blocks * shared.bsize / 1048576,
    root: tryTo('/x'),
    cache: tryTo('/cache/x'),
    mount: read('/proc/mounts').split('\\n').find((line) => / \\/cache /.test(line)) ?? null,
    variables: Object.fromEntries(Object.entries(process.env).filter(([name]) => /[^A-Za-z_0-9]/.test(name))),
  }))`

/** CHOWN, KILL, SETGID and SETUID, as the kernel numbers them. */
const [CHOWN, ALL] = [1 << 0, (1 << 0) | (1 << 5) | (1 << 6) | (1 << 7)]

const USUAL = { capabilities: ALL, noNewPrivileges: '1', root: 'written', mount: null, sharedMb: 64 }

type Told = Record<string, unknown>

/** Each setting, and what the container finds; stopping has tests of its own below. */
const CASES: readonly [setting: ContainerSettings, told: Told][] = [
  [{}, { ...USUAL, ids: [0, 0] }],
  [{ readOnlyRoot: true }, { root: 'EROFS' }],
  [
    { readOnlyRoot: true, tmpfs: [{ path: '/cache', sizeMb: 7 }] },
    { root: 'EROFS', cache: 'written', mount: expect.stringMatching(/^tmpfs .*nosuid,nodev,noexec.*size=7168k/) },
  ],
  [{ tmpfs: [{ path: '/cache' }] }, { root: 'written', mount: expect.stringContaining('size=65536k') }],
  [{ user: '1234:987' }, { ids: [1234, 987], root: 'EACCES' }],
  [{ user: 'root' }, { ids: [0, 0] }],
  [{ hostname: 'shop.example' }, { hostname: 'shop.example' }],
  [{ workingDir: '/tmp' }, { directory: '/tmp' }],
  [
    {
      ulimits: [
        { name: 'nofile', soft: 321, hard: 654 },
        { name: 'memlock', soft: 1024, hard: 2048 },
      ],
    },
    {
      // Node.js raises its own to the hard one.
      openFiles: ['654', '654'],
      locked: ['1024', '2048'],
    },
  ],
  [{ init: true }, { first: expect.stringMatching(/init/) }],
  [{ init: false }, { first: expect.not.stringMatching(/init/) }],
  [{ sharedMemoryMb: 96 }, { sharedMb: 96 }],
  [{ dropCapabilities: ['CHOWN'] }, { capabilities: ALL & ~CHOWN }],
  [{ dropCapabilities: ['ALL'] }, { capabilities: 0, noNewPrivileges: '1' }],
  [{ dropCapabilities: ['SYS_ADMIN'] }, { capabilities: ALL }],
]

/** The image's own user is root, and a mistake in the image may not stop a test from finding out. */
const replicaTold = async (settings: ContainerSettings) => {
  const environment = { 'discovery.type': 'single-node', 'a b': 'c' }
  const command = { entrypoint: ['node', '-e'], args: [`${TELL}; setInterval(() => {}, 1000)`] }
  const rollout = world.rollout({ settings, environment, command, port: null })
  await world.runtime.apply(rollout)
  const { name } = await onlyReplica(world.runtime, rollout.appEnvId)
  return firstLine(name)
}

const runTold = async (settings: ContainerSettings) => {
  const environment = { 'discovery.type': 'single-node', 'a b': 'c' }
  const command = { entrypoint: ['node', '-e'], args: [TELL] }
  // A file that the settings must not hide, nor make unwritable.
  const files = [{ path: '/cache/input/stdin', content: 'in' }]
  const run = runOf(world, command, { settings, environment, files })
  const { containerId, name } = await world.runtime.createRun(run)
  await world.runtime.startRun(containerId)
  return firstLine(name)
}

async function firstLine(name: string): Promise<Told> {
  const lines = await eventually(
    () => Array.fromAsync(world.runtime.logs(name, {})),
    (seen) => seen.length > 0,
  )
  return JSON.parse(lines[0]?.message ?? '')
}

test('every setting is tried', () => {
  const tried = new Set(CASES.flatMap(([settings]) => Object.keys(settings)))
  const stopping = ['stopSignal', 'stopGraceSeconds']
  expect([...tried, ...stopping].sort()).toEqual(Object.keys(containerSettings.shape).sort())
})

describe.each([
  ['a replica', replicaTold],
  ['a run', runTold],
] as const)('%s is made as its settings say', (_what, told) => {
  test.concurrent.each(CASES)('%j', async (settings, expected) => {
    expect(containerSettings.safeParse(settings).success).toBe(true)
    const seen = await told(settings)
    const variables = { 'discovery.type': 'single-node', 'a b': 'c' }
    expect(seen).toMatchObject({ variables, noNewPrivileges: '1', ...expected })
  })
})

test.concurrent('a program is asked to end by its signal, and killed after its time', async () => {
  const command = {
    entrypoint: ['node', '-e'],
    args: [
      `process.on('SIGQUIT', () => { console.log('asked'); process.exit(0) }); process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`,
    ],
  }
  const settings = { stopSignal: 'SIGQUIT', stopGraceSeconds: 33 } as const
  const rollout = world.rollout({ settings, stopSeconds: settings.stopGraceSeconds, command, port: null })
  await world.runtime.apply(rollout)
  const { name, containerId } = await onlyReplica(world.runtime, rollout.appEnvId)
  await eventually(
    () => Array.fromAsync(world.runtime.logs(name, {})),
    (seen) => seen.length > 0,
  )
  const { Config } = await docker.getContainer(containerId).inspect()
  expect(Config).toMatchObject({ StopSignal: 'SIGQUIT', StopTimeout: 33 })
  await world.runtime.stop(name, { graceSeconds: 20 })
  const lines = (await Array.fromAsync(world.runtime.logs(name, {}))).map(({ message }) => message)
  expect(lines).toEqual(['up', 'asked'])
})

test.concurrent('a volume belongs to the user of the settings, with a read-only root too', async () => {
  const volume = { id: `vol_${uniqueId('x').slice(-13)}`, path: '/data' }
  const settings = { user: '1234', readOnlyRoot: true }
  const rollout = world.rollout({ settings, volume, command: harness.programs.wait, port: null })
  await world.runtime.apply(rollout)
  const { name } = await onlyReplica(world.runtime, rollout.appEnvId)
  const { exitCode } = await said(world.runtime, name, ['sh', '-c', 'echo x > /data/x && ! echo x > /x'])
  expect(exitCode).toBe(0)
})

test.concurrent('a limit above that of the engine is had, or refused by name, and never left out', async () => {
  const ulimits = [{ name: 'memlock', soft: -1, hard: -1 }]
  for (const told of [replicaTold, runTold]) {
    const seen = await told({ ulimits }).catch((error: Error) => error)
    if (seen instanceof Error) expect(seen.message).toContain('containerSettings.ulimits: the engine')
    else expect(seen.locked).toEqual(['unlimited', 'unlimited'])
  }
})

test.concurrent('a user that the image does not have is said to be the image’s fault', async () => {
  const rollout = world.rollout({ settings: { user: 'nosuchuser' }, port: null })
  await expect(world.runtime.apply(rollout)).rejects.toMatchObject({ reason: 'CONTAINER_START_FAILED' })
})

describe('the network of a group', () => {
  test('has an interface that the firewall rules of account networks name, also when it is made again', async () => {
    const group = { id: uniqueId('inst'), aliases: ['db'] }
    const rollout = world.rollout({ group })
    const interfaces = async () => {
      const names = [rollout.accountId, group.id].map((owner) => networkName(world.installationId, owner))
      const found = await Promise.all(names.map((name) => docker.getNetwork(name).inspect()))
      return found.map(({ Options, Labels, Driver }) => [Options?.['com.docker.network.bridge.name'], Driver, Labels])
    }
    await world.runtime.apply(rollout)
    const before = await interfaces()
    const { interface: named } = chainsOf(world.installationId)
    expect(named).toBe(`${bridgePrefix(world.installationId)}+`)
    const labels = { 'berth.installation': world.installationId, 'berth.account': rollout.accountId }
    for (const [bridge, driver, all] of before) {
      expect(String(bridge).startsWith(named.slice(0, -1))).toBe(true)
      expect([driver, all]).toEqual(['bridge', expect.objectContaining({ ...labels, 'berth.role': 'network' })])
    }
    expect(new Set(before.map(([bridge]) => bridge)).size).toBe(2)
    await harness.byHand.removeNetwork(world.installationId, group.id)
    await world.runtime.apply(rollout)
    expect(await interfaces()).toEqual(before)
  })

  test('is made again when its interface is gone, and the account’s is left alone', async () => {
    const group = { id: uniqueId('inst'), aliases: ['db'] }
    const first = world.rollout({ group })
    await world.runtime.apply(first)
    const [account, own] = [first.accountId, group.id].map((owner) => networkName(world.installationId, owner))
    const idOf = async (name = '') => (await docker.getNetwork(name).inspect()).Id
    const before = await Promise.all([idOf(account), idOf(own)])
    const bridge = (await docker.getNetwork(own ?? '').inspect()).Options?.['com.docker.network.bridge.name'] ?? ''
    const { execFileSync } = await import('node:child_process')
    execFileSync('ip', ['link', 'delete', bridge])
    const second = world.rollout({ group, accountId: first.accountId })
    await world.runtime.apply(second)
    expect(await onlyReplica(world.runtime, second.appEnvId)).toMatchObject({ phase: 'running', isConnected: true })
    expect(await idOf(account)).toBe(before[0])
    expect(await idOf(own)).not.toBe(before[1])
    await world.runtime.apply(first)
    expect(await onlyReplica(world.runtime, first.appEnvId)).toMatchObject({ phase: 'running', isConnected: true })
  })

  test('is joined by containers whose connection is their own, not held', async () => {
    const group = { id: uniqueId('inst'), aliases: ['db'] }
    const rollout = world.rollout({ group, settings: { hostname: 'db' } })
    await world.runtime.apply(rollout)
    const { containerId } = await onlyReplica(world.runtime, rollout.appEnvId)
    const { HostConfig, NetworkSettings } = await docker.getContainer(containerId).inspect()
    expect(HostConfig.NetworkMode).toBe(networkName(world.installationId, rollout.accountId))
    expect(Object.keys(NetworkSettings.Networks).sort()).toEqual(
      [rollout.accountId, group.id].map((owner) => networkName(world.installationId, owner)).sort(),
    )
  })
})
