import { randomUUID } from 'node:crypto'
import type { Command, EngineHarness, TestPrograms } from '../../contracts/engine-harness.ts'
import { createImage, EMPTY_CONFIG } from './images.ts'
import type { MemoryContainer } from './memory-container.ts'
import { memoryEngine } from './memory-engine.ts'
import { MemoryMachine } from './memory-machine.ts'
import { programs } from './memory-programs.ts'
import { MemoryRegistry } from './memory-registry.ts'

const IMAGE = 'programs:1'
const REGISTRY = 'registry.test:5000'
const credential = { username: 'alice', password: 'open sesame' }

/** A machine in memory, and its operator's direct actions. */
export function createMemoryHarness(): EngineHarness {
  const machine = new MemoryMachine()
  const get = (containerId: string): MemoryContainer => {
    const found = machine.find(containerId)
    if (!found) throw new Error(`There is no container ${containerId}`)
    return found
  }
  return {
    programs: commandsOf(programs),
    async ensureImage() {
      machine.images.add(createImage({ programs }), IMAGE)
      return IMAGE
    },
    open: (options) => memoryEngine(machine, options),
    async openFaulty(fault, options) {
      return { ...memoryEngine(machine, options, fault), async [Symbol.asyncDispose]() {} }
    },
    async startRegistry() {
      const registry = new MemoryRegistry(credential)
      machine.registries.set(REGISTRY, registry)
      const stop = async () => {
        registry.isUp = false
      }
      return {
        address: REGISTRY,
        credential,
        stop,
        [Symbol.asyncDispose]: stop,
        publish: async (repository, tag) => publish(registry, repository, tag),
      }
    },
    byHand: {
      kill: (containerId) => get(containerId).stop(0),
      stop: (containerId) => get(containerId).stop(1),
      async remove(containerId) {
        await get(containerId).stop(0)
        machine.remove(get(containerId))
      },
      disconnect: async (containerId) => machine.disconnect(get(containerId)),
      removeNetwork: async (installationId, accountId) => machine.removeNetwork(installationId, accountId),
      async removeImage(image) {
        const found = machine.images.find(image)
        if (found) machine.images.remove(found.id)
      },
    },
    removeContainers: (installationId) => removeContainers(machine, installationId),
    cleanUp: (installationId) => removeContainers(machine, installationId),
  }
}

const commandsOf = (all: object): TestPrograms => {
  const commands = Object.keys(all).map((name): [string, Command] => [name, { entrypoint: [name], args: [] }])
  return Object.fromEntries(commands) as unknown as TestPrograms
}

async function removeContainers(machine: MemoryMachine, installationId: string): Promise<void> {
  for (const container of machine.containers.values()) {
    if (container.options.installationId !== installationId) continue
    await container.stop(0)
    machine.remove(container)
  }
}

/** Each is an image of its own, also two of the same millisecond. */
function publish(registry: MemoryRegistry, repository: string, tag: string): string {
  const config = { ...EMPTY_CONFIG, environment: { PUBLISHED_AS: randomUUID() } }
  const reference = { registry: REGISTRY, repository, tag, digest: null }
  const pushed = registry.push(reference, createImage({ config }), credential)
  if (typeof pushed === 'string') throw new Error(`The image was not published: ${pushed}`)
  return pushed.digest
}
