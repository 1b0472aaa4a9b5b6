import { availableParallelism, totalmem } from 'node:os'
import { replicaName } from '../../../src/domain/replica-name.ts'
import {
  type ContainerRuntime,
  type LogLine,
  type RemovalOptions,
  type Rollout,
  type RolloutReference,
  RuntimeError,
} from '../../../src/engines/runtime/container-runtime.ts'
import { call, type MemoryConnection, own } from './connection.ts'
import type { MemoryContainer } from './memory-container.ts'
import type { MachineChange } from './memory-machine.ts'
import { memoryRuns } from './memory-runs.ts'
import { memoryCommands } from './memory-tasks.ts'

export const ENGINE_NAME = 'Memory'
const SURPLUS_GRACE_SECONDS = 10
const MACHINE = {
  imageStore: 'memory',
  dataRoot: '/',
  cgroupVersion: '2',
  cgroupDriver: 'none',
  hasMemoryLimit: true,
  mirrors: [],
  cpus: availableParallelism(),
  memoryBytes: totalmem(),
}

type LogCall = Parameters<ContainerRuntime['logs']>[1]

/** The container runtime on a machine in memory. */
export function createMemoryRuntime(connection: MemoryConnection): ContainerRuntime {
  const { machine, installationId, callTimeoutSeconds } = connection
  return {
    info: (bounds) => call(connection, bounds, () => ({ name: ENGINE_NAME, version: '1' })),
    machine: (bounds) => call(connection, bounds, () => MACHINE),
    identity: (bounds) => call(connection, bounds, () => machine.id),
    marks: (bounds) => call(connection, bounds, () => [...(machine.marks.get(installationId) ?? [])]),
    addMark: (mark, bounds) =>
      call(connection, bounds, () => {
        const others = machine.marks.get(installationId)?.filter(({ nonce }) => nonce !== mark.nonce) ?? []
        machine.marks.set(installationId, [...others, mark])
      }),
    removeMark: (nonce, bounds) =>
      call(connection, bounds, () => {
        const left = machine.marks.get(installationId)?.filter((mark) => mark.nonce !== nonce) ?? []
        machine.marks.set(installationId, left)
      }),
    apply: (rollout, { onStarted, ...bounds } = {}) =>
      call(connection, bounds, () => apply(connection, rollout, onStarted)),
    freeze: (name, bounds) => call(connection, bounds, () => own(connection, name).freeze()),
    unfreeze: (name, bounds) => call(connection, bounds, () => own(connection, name).unfreeze()),
    stop: (name, bounds) => call(connection, bounds, () => own(connection, name).stop(bounds.graceSeconds)),
    start: (name, bounds) =>
      call(connection, bounds, async () => {
        const container = own(connection, name)
        await container.start()
        return container.observe()
      }),
    observe: (filter = {}, bounds) =>
      call(connection, bounds, () =>
        select(connection, filter)
          .map((container) => container.observe())
          .sort((a, b) => a.index - b.index || a.name.localeCompare(b.name)),
      ),
    remove: (reference, bounds) => {
      const seconds = bounds.graceSeconds + (bounds.timeoutSeconds ?? callTimeoutSeconds)
      return call(connection, bounds, () => remove(connection, reference, bounds), { seconds })
    },
    removeVolume: (volumeId, bounds) => call(connection, bounds, () => removeVolume(connection, volumeId)),
    // Its containers have no volumes to themselves.
    removeLeftVolumes: (bounds) => call(connection, bounds, () => {}),
    removeNetwork: (ownerId, bounds) =>
      call(connection, bounds, () => {
        const isOn = ({ accountId, group }: Rollout) => accountId === ownerId || group?.id === ownerId
        const isUsed = select(connection, {}).some(({ options }) => isOn(options.rollout))
        if (!isUsed) machine.networks.delete(`${installationId} ${ownerId}`)
      }),
    logs: (name, options) => logs(connection, name, options),
    fileCounts: (bounds) => call(connection, bounds, () => new Map<string, number>()),
    diskUse: (bounds) =>
      call(connection, bounds, () =>
        // Its programs have no file system to fill.
        [...connection.machine.containers.values()]
          .filter(({ options }) => options.installationId === connection.installationId)
          .map(({ id, options }) => ({ containerId: id, appEnvId: options.rollout.appEnvId, bytes: 0 })),
      ),
    volumeUse: (volumeIds, bounds) =>
      call(connection, bounds, () => {
        const known = volumeIds.filter((id) => machine.volumes.has(`${installationId} ${id}`))
        return new Map(known.map((id) => [id, bytesOf(machine.volumes.get(`${installationId} ${id}`))]))
      }),
    ...memoryCommands(connection),
    ...memoryRuns(connection),
    listening: (name, bounds) => call(connection, bounds, () => own(connection, name).listening()),
    stats: (name, bounds) => call(connection, bounds, () => own(connection, name).stats()),
    watch(onChange, signal) {
      const report = (change: MachineChange) => {
        if (change.installationId === installationId) onChange(change.appEnvId, change.end)
      }
      machine.changes.on('change', report)
      signal.addEventListener('abort', () => machine.changes.off('change', report), { once: true })
    },
  }
}

async function apply(connection: MemoryConnection, rollout: Rollout, onStarted?: () => void): Promise<void> {
  const { appEnvId, rolloutId, replicas } = rollout
  const surplus = select(connection, { appEnvId, rolloutId }).filter(({ options }) => options.index >= replicas)
  const wanted = Array.from({ length: replicas }, (_, index) => ensure(connection, rollout, index))
  const started = Promise.all(wanted).then(onStarted)
  await Promise.all([started, ...surplus.map((container) => end(connection, container, SURPLUS_GRACE_SECONDS))])
}

async function ensure({ machine, installationId }: MemoryConnection, rollout: Rollout, index: number): Promise<void> {
  const name = replicaName(rollout, index)
  const found = machine.containers.get(name)
  const isOwn =
    found?.options.installationId === installationId && found.options.rollout.rolloutId === rollout.rolloutId
  if (found && !isOwn)
    throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by another container`)
  const image = machine.images.find(rollout.pinnedImage)
  if (!found && !image) throw new RuntimeError('IMAGE_NOT_FOUND', `There is no image ${rollout.pinnedImage}`)
  const container = found ?? (image && machine.create(installationId, rollout, index, image))
  if (container && !container.options.isConnected()) machine.connect(container)
  try {
    await container?.start()
  } catch (error) {
    if (container) machine.remove(container)
    throw error
  }
}

const select = (
  { machine, installationId }: MemoryConnection,
  { appEnvId, rolloutId, index }: Partial<RolloutReference>,
): MemoryContainer[] =>
  [...machine.containers.values()].filter(
    ({ options }) =>
      options.installationId === installationId &&
      options.task === null &&
      options.run === null &&
      (appEnvId === undefined || options.rollout.appEnvId === appEnvId) &&
      (rolloutId === undefined || options.rollout.rolloutId === rolloutId) &&
      (index === undefined || options.index === index),
  )

async function remove(
  connection: MemoryConnection,
  reference: RolloutReference,
  { graceSeconds, beforeRemoval }: RemovalOptions,
): Promise<void> {
  const removals = select(connection, reference).map((container) =>
    end(connection, container, graceSeconds, beforeRemoval),
  )
  await Promise.all(removals)
}

async function end(
  { machine }: MemoryConnection,
  container: MemoryContainer,
  graceSeconds: number,
  beforeRemoval?: RemovalOptions['beforeRemoval'],
): Promise<void> {
  await container.stop(graceSeconds)
  await beforeRemoval?.(container.id)
  machine.remove(container)
}

function removeVolume({ machine, installationId }: MemoryConnection, volumeId: string): void {
  const isUsed = [...machine.containers.values()].some(
    ({ options }) => options.installationId === installationId && options.rollout.volume?.id === volumeId,
  )
  if (isUsed) throw new Error(`The volume ${volumeId} is in use`)
  machine.volumes.delete(`${installationId} ${volumeId}`)
}

async function* logs(connection: MemoryConnection, name: string, options: LogCall): AsyncGenerator<LogLine> {
  const container = await call(connection, options, () => own(connection, name))
  const isSilent = connection.fault === 'falls silent in logs'
  if (isSilent) await call({ ...connection, fault: 'mute' }, options, () => {})
  yield* container.output.read(options, options.signal)
}

const bytesOf = (files: ReadonlyMap<string, Buffer> = new Map()): number =>
  [...files.values()].reduce((bytes, file) => bytes + file.length, 0)
