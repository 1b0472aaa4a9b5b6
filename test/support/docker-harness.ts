import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { networkName } from '../../src/engines/docker/networks.ts'
import type { EngineFault, EngineHarness, TestRegistry } from '../contracts/engine-harness.ts'
import { dockerEngine } from './docker-engine.ts'
import { REGISTRY_CREDENTIAL as credential, isRegistryInstalled, startRegistry } from './docker-registry.ts'
import { engineProxy, type EngineFault as ProxyFault } from './engine-proxy.ts'
import { nodePrograms } from './node-programs.ts'
import { ensureProgramsImage } from './programs-image.ts'
import { ownedBy, removeEverything } from './remove-everything.ts'

export const ENGINE_SOCKET = '/var/run/docker.sock'

const docker = new Docker()

/** Addresses without an engine. */
const NOWHERE: Partial<Record<EngineFault, string>> = {
  absent: 'unix:///nonexistent/engine.sock',
  refusing: 'tcp://127.0.0.1:1',
}

const FAULTS: Partial<Record<EngineFault, ProxyFault>> = {
  mute: { kind: 'mute' },
  'falls silent': { kind: 'stall' },
  'hangs up': { kind: 'hangUp' },
  'falls silent in logs': { only: /\/logs/, kind: 'stall' },
  'falls silent in pulls': { only: /\/images\/create/, kind: 'stall' },
}

/** The machine's own engine, and its operator's direct actions. */
export const dockerHarness: EngineHarness = {
  programs: nodePrograms,
  ensureImage: () => ensureProgramsImage(docker),
  open: dockerEngine,
  async openFaulty(fault, options) {
    const dockerHost = NOWHERE[fault]
    if (dockerHost) return { ...dockerEngine({ ...options, dockerHost }), async [Symbol.asyncDispose]() {} }
    const proxy = await engineProxy(ENGINE_SOCKET, FAULTS[fault] ?? null)
    const engine = dockerEngine({ ...options, dockerHost: proxy.host })
    return { ...engine, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() }
  },
  startRegistry: startTestRegistry,
  byHand: {
    kill: (containerId) => docker.getContainer(containerId).kill(),
    stop: (containerId) => docker.getContainer(containerId).stop({ t: 1 }),
    remove: (containerId) => docker.getContainer(containerId).remove({ force: true }),
    disconnect,
    removeNetwork,
    removeImage,
  },
  removeContainers,
  cleanUp: (installationId) => removeEverything(docker, installationId),
}

async function removeContainers(installationId: string): Promise<void> {
  const containers = await docker.listContainers({ all: true, filters: ownedBy(installationId) })
  await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
}

/** While a process forks, the kernel may not come to freeze its group: it is asked again. */
export async function pauseByHand(containerId: string, client = docker): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await client.getContainer(containerId).pause()
    } catch (error) {
      if (tries === 5 || !/unable to freeze|cgroup to freeze/.test(String(error))) throw error
    }
}

async function disconnect(containerId: string): Promise<void> {
  const { NetworkSettings } = await docker.getContainer(containerId).inspect()
  const request = { Container: containerId, Force: true }
  for (const name of Object.keys(NetworkSettings.Networks)) await docker.getNetwork(name).disconnect(request)
}

async function removeNetwork(installationId: string, accountId: string): Promise<void> {
  const network = docker.getNetwork(networkName(installationId, accountId))
  const { Containers } = (await network.inspect()) as Docker.NetworkInspectInfo
  await Promise.all(Object.keys(Containers ?? {}).map((id) => network.disconnect({ Container: id, Force: true })))
  await network.remove()
}

async function removeImage(image: string): Promise<void> {
  const images = await docker.listImages({ filters: { reference: [image.replace(/:[^:/]+$/, '')] } })
  await Promise.all(images.map(({ Id }) => docker.getImage(Id).remove({ force: true })))
}

async function startTestRegistry(): Promise<TestRegistry | null> {
  if (!(await isRegistryInstalled())) {
    console.warn('Skipped: registry tests need the program docker-registry (Debian: apt-get install docker-registry)')
    return null
  }
  const registry = await startRegistry()
  const { address } = registry
  return {
    address,
    credential,
    publish: (repository, tag) => publish(address, repository, tag),
    stop: () => registry.stop(),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}

/** Any content will do; the time makes it different from the image of an earlier run. */
async function publish(address: string, repository: string, tag: string): Promise<string> {
  const repo = `${address}/${repository}`
  const archive = pack()
  archive.entry({ name: 'created-at' }, new Date().toISOString())
  archive.finalize()
  await drain(await docker.importImage(Readable.from(archive), { repo, tag, changes: ['LABEL berth.test=1'] }))
  const image = docker.getImage(`${repo}:${tag}`)
  await drain(await image.push({ authconfig: { ...credential, serveraddress: address } }))
  const { RepoDigests: digests } = await image.inspect()
  await image.remove({ force: true })
  return digests[0]?.split('@')[1] ?? ''
}

async function drain(progress: NodeJS.ReadableStream): Promise<void> {
  for await (const _step of progress);
}
