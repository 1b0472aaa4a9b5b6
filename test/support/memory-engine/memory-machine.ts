import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { BuildStep } from '../../../src/engines/images/image-builder.ts'
import type {
  ContainerEnd,
  EngineMark,
  Rollout,
  RunContainer,
  Task,
} from '../../../src/engines/runtime/container-runtime.ts'
import type { FileMap } from './files.ts'
import { ImageStore, type MemoryImage } from './images.ts'
import { MemoryContainer } from './memory-container.ts'
import type { MemoryRegistry } from './memory-registry.ts'
import type { ProcessEnd, RunningProcess } from './running-process.ts'

export interface MachineChange {
  installationId: string
  appEnvId: string
  end: ContainerEnd | null
}

export interface MachineStep extends BuildStep {
  installationId: string
  process: RunningProcess
}

/** One machine, on which several installations may run containers. It keeps nothing after the process ends. */
export class MemoryMachine {
  readonly id = randomUUID()
  readonly images = new ImageStore()
  /** Of installations, by id. */
  readonly marks = new Map<string, EngineMark[]>()
  /** By address: a registry that is not listed does not answer. */
  readonly registries = new Map<string, MemoryRegistry>()
  readonly containers = new Map<string, MemoryContainer>()
  readonly steps = new Map<string, MachineStep>()
  readonly volumes = new Map<string, FileMap>()
  /** Networks of accounts and groups: names of containers by the host name under which the others reach them. */
  readonly networks = new Map<string, Map<string, Set<string>>>()
  readonly changes = new EventEmitter<{ change: [MachineChange] }>().setMaxListeners(0)

  /** By name or id. */
  find(name: string): MemoryContainer | null {
    return this.containers.get(name) ?? [...this.containers.values()].find(({ id }) => id === name) ?? null
  }

  create(installationId: string, rollout: Rollout, index: number, image: MemoryImage): MemoryContainer {
    const container: MemoryContainer = new MemoryContainer({
      installationId,
      rollout,
      index,
      image,
      task: null,
      run: null,
      volume: this.#volume(installationId, rollout),
      lookUp: (host) => (this.#isConnected(container) ? this.#lookUp(container, host) : null),
      isConnected: () => this.#isConnected(container),
      onChange: (end) => this.#report(container, end),
    })
    this.containers.set(container.name, container)
    this.connect(container)
    return container
  }

  /** A container that no other one reaches by name. */
  createTask(installationId: string, task: Task, image: MemoryImage): MemoryContainer {
    const rollout = rolloutOf(task)
    const container: MemoryContainer = new MemoryContainer({
      installationId,
      rollout,
      index: 0,
      image,
      task,
      run: null,
      onChange: () => {},
      volume: this.#volume(installationId, rollout),
      lookUp: (host) => (task.network === 'NONE' ? null : this.#lookUp(container, host)),
      isConnected: () => task.network !== 'NONE',
    })
    this.containers.set(container.name, container)
    return container
  }

  /** A container on the network that no other one reaches by name. */
  createRun(installationId: string, run: RunContainer, image: MemoryImage): MemoryContainer {
    const { command, workingDir, runId } = run
    const made = { ...NOTHING, ...run, command, workingDir, rolloutId: runId }
    const container: MemoryContainer = new MemoryContainer({
      installationId,
      rollout: made,
      index: run.attempt,
      image,
      task: null,
      run,
      volume: null,
      lookUp: (host: string) => this.#lookUp(container, host),
      isConnected: () => true,
      onChange: () => {},
    })
    this.containers.set(container.name, container)
    return container
  }

  /** Makes the networks again that are gone. */
  connect(container: MemoryContainer): void {
    for (const hosts of this.#hostsOf(container)) hosts.add(container.name)
    this.#report(container, null)
  }

  disconnect(container: MemoryContainer): void {
    for (const hosts of this.#hostsOf(container)) hosts.delete(container.name)
    this.#report(container, null)
  }

  #isConnected(container: MemoryContainer): boolean {
    return this.#hostsOf(container).every((hosts) => hosts.has(container.name))
  }

  /** Of an account or a group. */
  removeNetwork(installationId: string, ownerId: string): void {
    const key = `${installationId} ${ownerId}`
    const network = this.networks.get(key)
    if (!network) throw new Error(`There is no network of ${ownerId}`)
    const named = new Set([...network.values()].flatMap((hosts) => [...hosts]))
    this.networks.delete(key)
    for (const container of this.containers.values()) if (named.has(container.name)) this.#report(container, null)
  }

  remove(container: MemoryContainer): void {
    if (this.containers.get(container.name) !== container) return
    this.containers.delete(container.name)
    if (container.options.task || container.options.run) return
    this.disconnect(container)
  }

  /** The containers that answer to its environment's name, and those that answer to each of its names in its group. */
  #hostsOf({ options: { installationId, rollout, index } }: MemoryContainer): Set<string>[] {
    const { accountId, cliEnvName, group, followers } = rollout
    const follows = followers !== null && index > 0
    const own = this.#hostsNamed(installationId, accountId, cliEnvName)
    if (!group) return [own]
    // One without a name is on the network, too.
    const names = follows || group.aliases.length === 0 ? [''] : group.aliases
    return [own, ...names.map((name) => this.#hostsNamed(installationId, group.id, name))]
  }

  #hostsNamed(installationId: string, ownerId: string, name: string): Set<string> {
    const network = this.#network(installationId, ownerId)
    const hosts = network.get(name) ?? new Set()
    network.set(name, hosts)
    return hosts
  }

  #network(installationId: string, ownerId: string): Map<string, Set<string>> {
    const key = `${installationId} ${ownerId}`
    const network = this.networks.get(key) ?? new Map()
    this.networks.set(key, network)
    return network
  }

  #volume(installationId: string, { volume }: Rollout) {
    if (!volume) return null
    const key = `${installationId} ${volume.id}`
    const files: FileMap = this.volumes.get(key) ?? new Map()
    this.volumes.set(key, files)
    return { path: volume.path, files }
  }

  #lookUp({ options: { installationId, rollout } }: MemoryContainer, host: string) {
    const owners = [rollout.accountId, ...(rollout.group ? [rollout.group.id] : [])]
    const names = owners.flatMap((owner) => [...(this.#network(installationId, owner).get(host) ?? [])])
    const running = names.map((name) => this.containers.get(name)?.observe()).find((seen) => seen?.phase === 'running')
    return running?.address && running.port ? { address: running.address, port: running.port } : null
  }

  #report(container: MemoryContainer, end: ProcessEnd | null): void {
    const { installationId, rollout } = container.options
    const containerEnd = end && { containerId: container.id, ...end, at: new Date() }
    this.changes.emit('change', { installationId, appEnvId: rollout.appEnvId, end: containerEnd })
  }
}

/** What containers have that are no replicas. */
const NOTHING = {
  version: 0,
  cliEnvName: '',
  replicas: 1,
  followers: null,
  heldNetwork: 'NONE' as const,
  port: null,
  stopSeconds: null,
  sandbox: null,
  settings: null,
  group: null,
  volume: null,
}

/** What a container is made from, for a task. */
function rolloutOf(task: Task): Rollout {
  const { entrypoint, args, operationId } = task
  const hasCommand = entrypoint.length + args.length > 0
  return {
    ...task,
    contentId: '',
    rolloutId: operationId,
    version: 0,
    cliEnvName: '',
    replicas: 1,
    followers: null,
    heldNetwork: 'NONE',
    workingDir: null,
    port: null,
    stopSeconds: null,
    settings: null,
    group: null,
    command: hasCommand ? { entrypoint: [...entrypoint], args: [...args] } : null,
  }
}
