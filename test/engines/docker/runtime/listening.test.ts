import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { readListening } from '../../../../src/engines/docker/runtime/listening.ts'
import { createWorld, eventually, onlyReplica, type World } from '../../../contracts/engine-harness.ts'
import { dockerHarness } from '../../../support/docker-harness.ts'
import { addPorts } from '../../../support/exposing-image.ts'
import { nodePrograms } from '../../../support/node-programs.ts'
import { ensureProgramsImage } from '../../../support/programs-image.ts'
import { ensureTestImage } from '../../../support/test-image.ts'

const IMAGE = 'berth-test-with-cat:1'
const NO_PROCESSES = '/nonexistent'

const docker = new Docker()
let bare: World
let withCat: World

beforeAll(async () => {
  // It has no program but Node.js.
  bare = createWorld(dockerHarness, await ensureTestImage(docker))
  await addPorts(docker, await ensureProgramsImage(docker), IMAGE, ['3999', '53/udp'])
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
  readListening(connect({ installationId: world.installationId }), name, AbortSignal.timeout(60_000), processes)

/** A row of the kernel's table: port 3000 of an address below 127. */
const listeningRow = (number: number) => {
  const address = Buffer.from([number & 255, (number >> 8) & 255, 0, 127])
    .toString('hex')
    .toUpperCase()
  return `  ${number}: ${address}:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 123 1 0 100 0 0 10 0\n`
}

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

  test('is read in part only where there are very many sockets, so that a tenant cannot keep Berth busy', async () => {
    const name = await start(bare)
    const { Id, State } = await docker.getContainer(name).inspect()
    const processes = mkdtempSync(join(tmpdir(), 'berth-processes-'))
    try {
      const folder = join(processes, `${State.Pid}`)
      mkdirSync(join(folder, 'net'), { recursive: true })
      writeFileSync(
        join(folder, 'net/tcp'),
        Array.from({ length: 50_000 }, (_, number) => listeningRow(number)).join(''),
      )
      writeFileSync(join(folder, 'cgroup'), `0::/docker/${Id}\n`)
      const seen = await read(bare, name, processes)
      expect(seen?.sockets[0]).toEqual({ address: '127.0.0.0', port: 3000 })
      expect(seen?.sockets.length).toBeLessThan(3_000)
    } finally {
      rmSync(processes, { recursive: true })
    }
  })

  test('is unknown where the image has no program that prints it', async () => {
    expect(await read(bare, await start(bare), NO_PROCESSES)).toBeNull()
  })
})
