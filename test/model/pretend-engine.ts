import { setTimeout as pause } from 'node:timers/promises'
import { replicaName } from '../../src/domain/replica-name.ts'
import type { CallBounds } from '../../src/engines/call-bounds.ts'
import { type Built, type ImageBuilder, ImageError } from '../../src/engines/images/image-builder.ts'
import {
  type ContainerRuntime,
  type EngineMark,
  type ObservedReplica,
  type Rollout,
  type RolloutReference,
  RuntimeError,
  type Task,
  taskName,
} from '../../src/engines/runtime/container-runtime.ts'
import { BROKEN } from './model.ts'

const SLOWEST_MS = 12

/**
 * An engine in memory, for the state machine alone: as quick as the database, so that thousands of operations can be
 * raced. It starts whatever it is asked to, except what is broken. All its replicas are one local server.
 */
export class PretendRuntime implements ContainerRuntime {
  readonly #replicas = new Map<string, ObservedReplica>()
  readonly #marks = new Map<string, EngineMark>()
  readonly #port: number
  #started = 0

  constructor(port: number) {
    this.#port = port
  }

  async info() {
    return { name: 'pretended', version: '1' }
  }

  async machine() {
    const cgroup = { cgroupVersion: '2', cgroupDriver: 'none', hasMemoryLimit: true }
    return { ...cgroup, imageStore: 'pretended', dataRoot: '/', mirrors: [], cpus: 1, memoryBytes: 1 }
  }

  async identity() {
    return 'pretended'
  }

  async marks() {
    return [...this.#marks.values()]
  }

  async addMark(mark: EngineMark) {
    this.#marks.set(mark.nonce, mark)
  }

  async removeMark(nonce: string) {
    this.#marks.delete(nonce)
  }

  async apply(rollout: Rollout, bounds?: CallBounds): Promise<void> {
    await takeTime(bounds)
    if (rollout.environment.SETTING === BROKEN) throw new RuntimeError('CONTAINER_START_FAILED', 'It cannot be started')
    for (let index = 0; index < rollout.replicas; index += 1) {
      const name = replicaName(rollout, index)
      if (!this.#replicas.has(name)) this.#replicas.set(name, this.#start(rollout, name, index))
    }
  }

  async observe({ appEnvId }: { appEnvId?: string } = {}, bounds?: CallBounds): Promise<ObservedReplica[]> {
    await takeTime(bounds)
    return [...this.#replicas.values()].filter((replica) => !appEnvId || replica.appEnvId === appEnvId)
  }

  async remove({ appEnvId, rolloutId, index }: RolloutReference, bounds: CallBounds): Promise<void> {
    await takeTime(bounds)
    for (const replica of [...this.#replicas.values()]) {
      const isMeant =
        replica.appEnvId === appEnvId &&
        (rolloutId === undefined || replica.rolloutId === rolloutId) &&
        (index === undefined || replica.index === index)
      if (isMeant) this.#replicas.delete(replica.name)
    }
  }

  async removeNetwork(): Promise<void> {}

  async removeLeftVolumes(): Promise<void> {}

  // Nothing of the model's plays sleeps.
  async freeze() {}

  async unfreeze() {
    return false
  }

  async stop() {}

  async start(name: string) {
    const replica = this.#replicas.get(name)
    if (!replica) throw new RuntimeError('CONTAINER_START_FAILED', `There is no container ${name}`)
    return replica
  }

  async *logs() {}

  async fileCounts() {
    return new Map<string, number>()
  }

  async diskUse() {
    return []
  }

  async volumeUse() {
    return new Map<string, number>()
  }

  async stats() {
    return { cpuMillicores: 0, memoryMb: 0 }
  }

  async listening() {
    return null
  }

  async exec() {
    return { exitCode: 0, errorOutput: '' }
  }

  async killExec() {}

  async runTask() {
    return { exitCode: 0, errorOutput: '' }
  }

  async startTask(task: Task) {
    return taskName(task)
  }

  async observeTasks() {
    return []
  }

  async removeTasks() {}

  async createRun(): Promise<never> {
    throw new RuntimeError('CONTAINER_START_FAILED', 'The model has no runs')
  }

  async startRun() {
    return false
  }

  async observeRuns() {
    return []
  }

  async stopRun() {}

  async removeRuns() {}

  watch(): void {}

  async removeVolume() {}

  #start(rollout: Rollout, name: string, index: number): ObservedReplica {
    this.#started += 1
    const { accountId, appId, appEnvId, contentId, rolloutId, generation } = rollout
    return {
      name,
      containerId: `pretended-${this.#started}`,
      accountId,
      appId,
      appEnvId,
      contentId,
      rolloutId,
      generation,
      index,
      phase: 'running',
      address: '127.0.0.1',
      port: this.#port,
      startedAt: new Date(),
      hasOwnAddress: false,
      isConnected: true,
      finishedAt: null,
      exitCode: null,
      outOfMemory: false,
      restartCount: 0,
    }
  }
}

/** Knows every image but those that are broken. Nothing is built in the model's plays. */
export class PretendImages implements ImageBuilder {
  async resolveImage(image: string, _credential: unknown, bounds?: CallBounds) {
    await takeTime(bounds)
    if (image.startsWith(BROKEN)) throw new ImageError('IMAGE_NOT_FOUND', `There is no image ${image}`)
    const digest = `sha256:${'a'.repeat(64)}`
    const pinned = image.includes('@') ? image : `${image}@${digest}`
    return { pinned, imageId: digest, isNew: false, fromCache: false, triggers: [] }
  }

  async traits() {
    return {
      isApart: false,
      isClassic: false,
      warning: null,
      cacheScope: () => null,
      stageLabels: () => ({}),
      namespace: 'pretended',
    }
  }

  build(): Promise<Built> {
    return Promise.reject(new ImageError('BUILD_FAILED', 'Nothing is built here'))
  }

  pushImage(): Promise<string> {
    return Promise.reject(new ImageError('PUSH_DENIED', 'Nothing is pushed here'))
  }

  async builtImages() {
    return []
  }

  async imageSize() {
    return null
  }

  async removeImage() {}

  async heldImages() {
    return []
  }

  async removePulled() {}

  async buildSteps() {
    return []
  }

  async removeBuildStep() {}

  async clearBuilds() {}

  async removeBuilder() {}
}

/** Long enough for requests to come in between. */
const takeTime = ({ signal }: CallBounds = {}) => pause(Math.random() * SLOWEST_MS, undefined, signal ? { signal } : {})
