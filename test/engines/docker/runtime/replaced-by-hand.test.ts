import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { leftovers } from '../../../../scripts/engine-leftovers.ts'
import type { ContainerFile, Sandbox } from '../../../../src/engines/runtime/container-runtime.ts'
import { createWorld, said, uniqueId, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'
import { ownedBy } from '../../../support/remove-everything.ts'

const docker = new Docker()
let world: World

const FILES: readonly ContainerFile[] = [
  { path: '/etc/engine/conf.d/password.conf', content: 'sesame' },
  { path: '/srv/deep/er/secret', content: 'sesame' },
]
const READ_ONLY: Sandbox = {
  user: '0:0',
  capabilities: [],
  readOnlyRoot: true,
  tmpfs: [],
  sharedMemoryMb: null,
  openFiles: null,
}
const WRITABLE: Sandbox = { ...READ_ONLY, readOnlyRoot: false }

beforeAll(async () => {
  world = createWorld(dockerHarness, await dockerHarness.ensureImage())
})

afterAll(() => dockerHarness.cleanUp(world.installationId))

/** As an operator does it, who leaves the volumes of the container behind. */
async function removeByHand(): Promise<string[]> {
  const found = await docker.listContainers({ all: true, filters: ownedBy(world.installationId) })
  await Promise.all(found.map(({ Id }) => docker.getContainer(Id).remove({ force: true })))
  return found.map(({ Labels }) => Labels['berth.role'] ?? '')
}

const left = async () => (await leftovers(docker, ownedBy(world.installationId))).map(({ kind, name }) => [kind, name])
const volumes = async (role: string) => {
  const label = [...ownedBy(world.installationId).label, `berth.role=${role}`]
  return (await docker.listVolumes({ filters: { label } })).Volumes ?? []
}

const { programs } = dockerHarness
const followers = () => ({
  command: programs.server,
  environment: {},
  files: FILES,
  dataPath: '/data',
  alias: 'replicas.shop',
})

/** One thing of each kind that has something of its own on the engine. */
const KINDS: readonly (readonly [string, () => Promise<void>])[] = [
  ['an app', async () => world.runtime.apply(world.rollout())],
  ...[READ_ONLY, WRITABLE].map((sandbox) => {
    const root = sandbox.readOnlyRoot ? 'a read-only root' : 'a root that can be written'
    return [
      `a service with ${root}, a volume and a replica`,
      async () => {
        const volume = { id: uniqueId('vol'), path: '/data' }
        const rollout = world.rollout({ files: FILES, sandbox, volume, replicas: 2, followers: followers() })
        await world.runtime.apply(rollout)
        await removeByHand()
        await world.runtime.apply(rollout)
        // What is deleted is removed like this.
        await world.runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
        expect(await volumes('files')).toEqual([])
        expect(await volumes('scratch')).toEqual([])
        await world.runtime.removeVolume(volume.id)
      },
    ] as const
  }),
  [
    'a task with files and scratch paths',
    async () =>
      void (await world.runtime.startTask(
        world.task({ ...programs.wait, files: FILES, sandbox: READ_ONLY, scratchPaths: ['/scratch'] }),
      )),
  ],
  [
    'a job run with an input',
    async () => {
      const { accountId, appId, appEnvId, contentId, generation, requestId, pinnedImage, resources } = world.rollout()
      const run = { accountId, appId, appEnvId, contentId, generation, requestId, pinnedImage, resources }
      const command = programs.wait
      const { containerId } = await world.runtime.createRun({
        ...run,
        runId: uniqueId('run'),
        attempt: 1,
        command,
        workingDir: null,
        environment: {},
        files: FILES,
        settings: null,
        group: null,
      })
      await world.runtime.startRun(containerId)
    },
  ],
]

describe('what an operator removes without its volumes', () => {
  test.each(KINDS)('leaves nothing behind when the sweep is over: %s', async (_name, make) => {
    await make()
    await removeByHand()
    await world.runtime.removeLeftVolumes()
    await world.runtime.removeNetwork(world.rollout().accountId)
    expect(await left()).toEqual([])
  })

  test('is what the sweep removes: volumes of living containers, and those of environments, stay', async () => {
    const volume = { id: uniqueId('vol'), path: '/data' }
    const rollout = world.rollout({ files: FILES, sandbox: READ_ONLY, volume })
    await world.runtime.apply(rollout)
    const before = (await volumes('files')).map(({ Name }) => Name).toSorted()
    expect(before).toHaveLength(2)
    await world.runtime.removeLeftVolumes()
    expect((await volumes('files')).map(({ Name }) => Name).toSorted()).toEqual(before)
    await removeByHand()
    await world.runtime.removeLeftVolumes()
    expect(await volumes('files')).toEqual([])
    expect(await volumes('volume')).toHaveLength(1)
    await world.runtime.removeVolume(volume.id)
  })

  test('files of a container whose root can be written are in no volume, and nobody else may read them', async () => {
    const rollout = world.rollout({ files: FILES, sandbox: WRITABLE })
    await world.runtime.apply(rollout)
    expect(await volumes('files')).toEqual([])
    const [replica] = await world.runtime.observe({ appEnvId: rollout.appEnvId })
    const { text } = await said(world.runtime, replica?.name ?? '', [
      'node',
      '-e',
      `console.log(['/etc/engine', '/etc/engine/conf.d', '/srv/deep/er/secret'].map((path) => (fs.statSync(path).mode & 0o777).toString(8)).join())`,
    ])
    expect(text.trim()).toBe('755,755,400')
    await world.runtime.remove({ appEnvId: rollout.appEnvId }, { graceSeconds: 0 })
  })
})
