import Docker from 'dockerode'
import type { ContainerEngine } from '../../src/platform/container-engine.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { pauseByHand } from '../support/docker-harness.ts'
import { createImage, EMPTY_CONFIG } from '../support/memory-engine/images.ts'
import type { MemoryContainer } from '../support/memory-engine/memory-container.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import { nodeScript } from '../support/memory-engine/node-script.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'

/** What a test sees of a container. */
export interface HarbourContainer {
  Id: string
  State: string
  Labels: Record<string, string>
}

/** What a harbour needs of an engine. */
export interface HarbourEngine {
  /** An image that runs `node -e <script>`. */
  image: string
  open(installationId: string, dockerHost?: string): ContainerEngine
  containersOf(appEnvId: string): Promise<HarbourContainer[]>
  /** Actions of an operator that bypass Berth. */
  byHand: Record<'remove' | 'stop' | 'kill' | 'pause', (containerId: string) => Promise<void>>
  cleanUp(installationId: string): Promise<void>
}

/** The machine's own engine. */
export async function onDocker(docker = new Docker()): Promise<HarbourEngine> {
  return {
    image: await ensureTestImage(docker),
    open: (installationId, dockerHost) => dockerEngine({ installationId, dockerHost, callTimeoutSeconds: 10 }),
    containersOf: (appEnvId) => docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } }),
    byHand: {
      remove: (containerId) => docker.getContainer(containerId).remove({ force: true }),
      stop: (containerId) => docker.getContainer(containerId).stop({ t: 1 }),
      kill: (containerId) => docker.getContainer(containerId).kill(),
      pause: (containerId) => pauseByHand(containerId, docker),
    },
    cleanUp: (installationId) => removeEverything(docker, installationId),
  }
}

const IMAGE = 'programs:1'

/** For what the worker decides: its adapter has the contracts of the real one, and costs next to nothing. */
export async function inMemory(
  programs: Record<string, Program> = {},
  alsoNamed: readonly string[] = [],
): Promise<HarbourEngine> {
  const machine = new MemoryMachine()
  const config = { ...EMPTY_CONFIG, command: ['node'] }
  const image = createImage({ programs: { node: nodeScript, ...programs }, config })
  for (const name of [IMAGE, ...alsoNamed]) machine.images.add(image, name)
  const get = (containerId: string): MemoryContainer => {
    const found = machine.find(containerId)
    if (!found) throw new Error(`There is no container ${containerId}`)
    return found
  }
  return {
    image: IMAGE,
    open: (installationId) => memoryEngine(machine, { installationId, callTimeoutSeconds: 10 }),
    containersOf: async (appEnvId) =>
      [...machine.containers.values()]
        .filter(({ options }) => options.rollout.appEnvId === appEnvId)
        .map(({ id, phase, options }) => ({
          Id: id,
          State: phase,
          Labels: { 'berth.operation': options.rollout.rolloutId },
        })),
    byHand: {
      async remove(containerId) {
        await get(containerId).stop(0)
        machine.remove(get(containerId))
      },
      stop: (containerId) => get(containerId).stop(1),
      kill: (containerId) => get(containerId).stop(0),
      pause: async (containerId) => get(containerId).freeze(),
    },
    async cleanUp() {
      for (const container of machine.containers.values()) await container.stop(0)
    },
  }
}
