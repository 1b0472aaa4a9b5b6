import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../../../src/engines/runtime/container-runtime.ts'
import { createWorld, eventually, onlyReplica, said, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness as harness } from '../../../support/docker-harness.ts'

const docker = new Docker()
const sandbox: Sandbox = {
  user: '999:998',
  capabilities: [],
  readOnlyRoot: true,
  tmpfs: ['/tmp', '/var/run/engine'],
  sharedMemoryMb: 96,
  openFiles: 4321,
}
const SECRET = 'hunter2-in-a-file'
const files = [
  { path: '/usr/local/etc/engine/engine.conf', content: SECRET },
  { path: '/app/conf.d/90.conf', content: 'x' },
]
const TELL = `
  const fs = require('node:fs')
  const status = fs.readFileSync('/proc/self/status', 'utf8')
  const tryTo = (path) => { try { fs.writeFileSync(path, 'x'); return 'written' } catch (error) { return error.code } }
  const shared = fs.statfsSync('/dev/shm')
  console.log(JSON.stringify({
    ids: [process.getuid(), process.getgid()],
    capabilities: /^CapBnd:\\s*(\\S+)/m.exec(status)[1],
    openFiles: /Max open files\\s+(\\d+)\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/limits', 'utf8')).slice(1),
    sharedMb: shared.blocks * shared.bsize / 1048576,
    writes: ['/tmp/x', '/var/run/engine/x', '/data/x', '/app/x', '/x', '/usr/local/etc/engine/x'].map(tryTo),
    mounts: fs.readFileSync('/proc/mounts', 'utf8').split('\\n').filter((line) => / \\/(tmp|var\\/run\\/engine) /.test(line)),
  }))`
let world: World

beforeAll(async () => {
  world = createWorld(harness, await harness.ensureImage())
})
afterAll(() => harness.cleanUp(world.installationId))

const apply = async (change: Parameters<World['rollout']>[0] = {}) => {
  const volume = { id: `vol_${uniqueId('x').slice(-13)}`, path: '/data' }
  const rollout = world.rollout({ sandbox, files, volume, stopSeconds: 45, ...change })
  await world.runtime.apply(rollout)
  return { rollout, ...(await onlyReplica(world.runtime, rollout.appEnvId)) }
}

const tell = async (name: string) => JSON.parse((await said(world.runtime, name, ['node', '-e', TELL])).text)

const expectFiles = async (name: string, user: string) => {
  const STAT = `
    const { mode, uid, gid } = require('node:fs').statSync('${files[0]?.path}')
    console.log((mode & 0o777).toString(8), uid + ':' + gid, require('node:fs').readFileSync('${files[0]?.path}', 'utf8'))`
  const { text } = await said(world.runtime, name, ['node', '-e', STAT])
  expect(text).toBe(`400 ${user} ${SECRET}\n`)
}

test.concurrent('a sandbox leaves what it names, and nothing else', async () => {
  const { name } = await apply()
  const told = await tell(name)
  expect(told).toMatchObject({
    ids: [999, 998],
    capabilities: '0000000000000000',
    openFiles: ['4321', '4321'],
    sharedMb: 96,
    writes: ['written', 'written', 'written', 'EROFS', 'EROFS', 'EACCES'],
  })
  expect(told.mounts).toHaveLength(2)
  for (const mount of told.mounts) expect(mount).toMatch(/rw,.*nosuid.*noexec.*size=65536k.*uid=999,gid=998/)
})

test.concurrent('the engine is told of it, and of the time to stop', async () => {
  const { containerId } = await apply({ sandbox: { ...sandbox, capabilities: ['SETUID', 'SETGID'] } })
  const { Config, HostConfig } = await docker.getContainer(containerId).inspect()
  expect(Config).toMatchObject({ User: '999:998', StopTimeout: 45 })
  expect(HostConfig).toMatchObject({
    CapDrop: ['ALL'],
    CapAdd: ['SETUID', 'SETGID'],
    ReadonlyRootfs: true,
    ShmSize: 96 * 1024 * 1024,
    SecurityOpt: ['no-new-privileges:true'],
    Init: true,
    PidsLimit: 1024,
  })
  expect(Object.keys(HostConfig.Tmpfs ?? {})).toEqual(['/tmp', '/var/run/engine'])
})

test.concurrent('a container without one is as before', async () => {
  const { containerId } = await apply({ sandbox: null, files: [], stopSeconds: null })
  const { Config, HostConfig, Mounts } = await docker.getContainer(containerId).inspect()
  expect(Config).toMatchObject({ User: '' })
  expect(Config).not.toHaveProperty('StopTimeout')
  expect(HostConfig).toMatchObject({ CapAdd: ['CHOWN', 'SETUID', 'SETGID', 'KILL'], ReadonlyRootfs: false })
  expect(Mounts).toHaveLength(1)
})

test.concurrent('files belong to the user alone, with and without a read-only root, and stay when the container is restarted', async () => {
  for (const readOnlyRoot of [true, false]) {
    const { name, containerId, rollout } = await apply({ sandbox: { ...sandbox, readOnlyRoot } })
    await expectFiles(name, '999:998')
    await docker.getContainer(containerId).restart({ t: 1 })
    await eventually(
      () => onlyReplica(world.runtime, rollout.appEnvId),
      ({ phase }) => phase === 'running',
    )
    await expectFiles(name, '999:998')
  }
})

test.concurrent('files of an image’s user belong to that user', async () => {
  const { name } = await apply({ sandbox: null })
  await expectFiles(name, '0:0')
})

test.concurrent('files are on no label, and gone from the engine with their container', async () => {
  const { containerId, rollout } = await apply()
  const inspected = await docker.getContainer(containerId).inspect()
  expect(JSON.stringify(inspected)).not.toContain(SECRET)
  const volumes = async () => {
    const filters = { label: [`berth.env=${rollout.appEnvId}`] }
    return (await docker.listVolumes({ filters })).Volumes.map(({ Labels }) => Labels?.['berth.role']).sort()
  }
  expect(await volumes()).toEqual(['files', 'files', 'volume'])
  await world.runtime.remove(rollout, { graceSeconds: 0 })
  expect(await volumes()).toEqual(['volume'])
})

test.concurrent('a volume is given to the user once, without touching what is in it', async () => {
  const { name, rollout } = await apply()
  const owner = async (container: string) =>
    (
      await said(world.runtime, container, [
        'node',
        '-p',
        `const s = require('fs').statSync('/data'); s.uid + ':' + s.gid`,
      ])
    ).text
  expect(await owner(name)).toBe('999:998\n')
  await world.runtime.remove(rollout, { graceSeconds: 0 })
  const again = { ...rollout, rolloutId: uniqueId('op'), sandbox: { ...sandbox, user: '1234:1234' } }
  await world.runtime.apply(again)
  expect(await owner((await onlyReplica(world.runtime, rollout.appEnvId)).name)).toBe('999:998\n')
  expect(await world.runtime.observeTasks()).toEqual([])
})

test.concurrent('a task has scratch folders of its own, which go with it', async () => {
  const task = world.task({
    sandbox,
    scratchPaths: ['/data'],
    files,
    entrypoint: ['node', '-e', 'setInterval(() => {}, 1000)'],
    args: [],
  })
  const name = await world.runtime.startTask(task)
  expect((await tell(name)).writes).toEqual(['written', 'written', 'written', 'EROFS', 'EROFS', 'EACCES'])
  await expectFiles(name, '999:998')
  const filters = { label: [`berth.env=${task.appEnvId}`] }
  expect((await docker.listVolumes({ filters })).Volumes).toHaveLength(3)
  await world.runtime.removeTasks(task)
  expect((await docker.listVolumes({ filters })).Volumes).toHaveLength(0)
})

// Last: from then on the engine's own limit is left as it is.
test('a limit of open files that the host does not allow leaves that of the engine', async () => {
  const { name } = await apply({ sandbox: { ...sandbox, openFiles: 2_000_000_000 } })
  const { openFiles } = await tell(name)
  expect(Number(openFiles[0])).toBeLessThan(2_000_000_000)
})
