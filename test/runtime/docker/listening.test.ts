import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPrograms, importRoot } from '../../../scripts/image-root.ts'
import { connect } from '../../../src/engine/docker/connection.ts'
import { readListening } from '../../../src/runtime/docker/listening.ts'
import { createWorld, eventually, onlyReplica, type World } from '../../contracts/engine-harness.ts'
import { dockerHarness } from '../../support/docker-harness.ts'
import { nodePrograms } from '../../support/node-programs.ts'

const IMAGE = 'berth-test-with-cat:1'
const NO_PROCESSES = '/nonexistent'

const docker = new Docker()
let bare: World
let withCat: World

beforeAll(async () => {
  bare = createWorld(dockerHarness, await dockerHarness.ensureImage())
  const programs = { 'usr/bin/node': process.execPath, 'bin/cat': '/bin/cat' }
  await importRoot(docker, IMAGE, (archive) => addPrograms(archive, programs), ['EXPOSE 3999', 'EXPOSE 53/udp'])
  withCat = createWorld(dockerHarness, IMAGE)
})

afterAll(async () => {
  for (const world of [bare, withCat]) if (world) await dockerHarness.cleanUp(world.installationId)
  await dockerHarness.byHand.removeImage(IMAGE)
})

const start = async (world: World) => {
  const rollout = world.rollout({ command: nodePrograms.elsewhere })
  await world.runtime.apply(rollout)
  return (await onlyReplica(world.runtime, rollout.appEnvId)).name
}

const read = (world: World, name: string, processes?: string) =>
  readListening(connect({ installationId: world.installationId }), name, AbortSignal.timeout(20_000), processes)

describe('where a container listens', () => {
  test('is read from this machine, whatever programs the image has', async () => {
    const name = await start(bare)
    const seen = await eventually(
      () => read(bare, name),
      (listening) => listening?.sockets.length === 2,
    )
    expect(seen?.declaredPorts).toEqual([])
  })

  test('is printed by the container where its processes are not on this machine', async () => {
    const name = await start(withCat)
    const seen = await eventually(
      () => read(withCat, name, NO_PROCESSES),
      (listening) => listening?.sockets.length === 2,
    )
    const sockets = [
      { address: '127.0.0.1', port: 3000 },
      { address: '0.0.0.0', port: 3999 },
    ]
    expect(seen?.sockets).toEqual(expect.arrayContaining(sockets))
    expect(seen?.declaredPorts).toEqual([3999])
  })

  test('is unknown where the image has no program that prints it', async () => {
    expect(await read(bare, await start(bare), NO_PROCESSES)).toBeNull()
  })
})
