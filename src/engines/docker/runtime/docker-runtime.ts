import type { ContainerRuntime } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { within } from '../within.ts'
import { applyRollout } from './apply.ts'
import type { Reach } from './container-spec.ts'
import { readDiskUse, readFileCounts, readVolumeUse } from './disk-use.ts'
import { readEngineInfo, readEngineMachine } from './engine-info.ts'
import { execCommand, killExec } from './exec.ts'
import { removeLeftVolumes } from './left-volumes.ts'
import { readListening } from './listening.ts'
import { replicaLogs } from './logs.ts'
import { addMark, listMarks, readIdentity, removeMark } from './marks.ts'
import { NetworkHolders } from './network-holders.ts'
import { observeReplicas } from './observe.ts'
import { removeReplicas } from './remove.ts'
import { ReplicaNetworks } from './replica-networks.ts'
import { createRun, observeRuns, removeRuns, startRun, stopRun } from './run-container.ts'
import { runTask } from './run-task.ts'
import { freezeReplica, startReplica, stopReplica, unfreezeReplica } from './sleep-replica.ts'
import { ReplicaSamples } from './stats.ts'
import { observeTasks, removeTasks, startTask } from './task.ts'
import { removeVolume } from './volumes.ts'
import { watchReplicas } from './watch.ts'

interface DockerRuntimeOptions {
  /** Default: `address`, which works where the engine's bridges are on this machine (Linux); Docker Desktop needs `published`. */
  reach?: Reach
  /** Processes and threads of one container. Default: 1024. */
  processes?: number
  /** Connections to account networks that are kept ready for runs. Default: none. */
  networkHolders?: number
  /** Connections that are held for containers which sleep. Default: none. */
  replicaNetworks?: number
  /** Whether the engine restarts replicas that end, and all of them when it starts. Default: true. */
  engineRestarts?: boolean
}

/** The container runtime on one Docker Engine. */
export function createDockerRuntime(
  engine: DockerEngine,
  {
    reach = 'address',
    processes = 1024,
    networkHolders = 0,
    replicaNetworks = 0,
    engineRestarts = true,
  }: DockerRuntimeOptions = {},
): ContainerRuntime {
  const { networks } = engine
  const samples = new ReplicaSamples(engine)
  const cores = rememberedCores(engine)
  const tasks = { engine, cores, processes }
  const holders = new NetworkHolders(engine, networkHolders)
  const runs = { ...tasks, holders }
  const held = new ReplicaNetworks(engine, replicaNetworks)
  return {
    info: (bounds) => within(engine, bounds, (signal) => readEngineInfo(engine, signal)),
    machine: (bounds) => within(engine, bounds, (signal) => readEngineMachine(engine, signal)),
    identity: (bounds) => within(engine, bounds, (signal) => readIdentity(engine, signal)),
    marks: (bounds) => within(engine, bounds, (signal) => listMarks(engine, signal)),
    addMark: (mark, bounds) => within(engine, bounds, (signal) => addMark(engine, mark, signal)),
    removeMark: (nonce, bounds) => within(engine, bounds, (signal) => removeMark(engine, nonce, signal)),
    apply: (rollout, { onStarted = () => {}, ...bounds } = {}) =>
      within(engine, bounds, (signal) =>
        applyRollout({ ...tasks, rollout, signal, reach, networks: held, onStarted, engineRestarts }),
      ),
    freeze: (name, bounds) => within(engine, bounds, (signal) => freezeReplica(engine, name, signal)),
    unfreeze: (name, bounds) => within(engine, bounds, (signal) => unfreezeReplica(engine, name, signal)),
    stop: (name, bounds) => {
      const seconds = bounds.graceSeconds + (bounds.timeoutSeconds ?? engine.callTimeoutSeconds)
      const work = (signal: AbortSignal) => stopReplica(engine, name, bounds.graceSeconds, signal)
      return within(engine, bounds, work, { seconds })
    },
    start: (name, bounds) => within(engine, bounds, (signal) => startReplica(engine, name, reach, signal)),
    observe: (filter = {}, bounds) =>
      within(engine, bounds, (signal) => observeReplicas(engine, filter, reach, signal)),
    remove: (reference, bounds) => {
      const seconds = bounds.graceSeconds + (bounds.timeoutSeconds ?? engine.callTimeoutSeconds)
      const work = async (signal: AbortSignal) => {
        // Before: a request that comes as soon as it is gone finds the connection ready.
        if (bounds.expected) await held.expect(bounds.expected, signal)
        await removeReplicas(engine, reference, bounds, signal)
      }
      return within(engine, bounds, work, { seconds })
    },
    removeVolume: (volumeId, bounds) => within(engine, bounds, (signal) => removeVolume(engine, volumeId, signal)),
    removeLeftVolumes: (bounds) => within(engine, bounds, (signal) => removeLeftVolumes(engine, null, signal)),
    removeNetwork: (ownerId, bounds) =>
      within(engine, bounds, async (signal) => {
        // Of a group there are none.
        await holders.removeUnused(ownerId, signal)
        await networks.remove(ownerId, signal)
      }),
    logs: (name, bounds) => replicaLogs(engine, name, bounds),
    stats: (name, bounds) => within(engine, bounds, (signal) => samples.stats(name, signal)),
    listening: (name, bounds) => within(engine, bounds, (signal) => readListening(engine, name, signal)),
    exec: (name, command, options = {}) => execCommand(engine, name, command, options),
    killExec: (name, key, bounds) => killExec(engine, name, key, bounds),
    runTask: (task, options = {}) => runTask(tasks, task, options),
    startTask: (task, bounds) => within(engine, bounds, (signal) => startTask(tasks, task, signal)),
    observeTasks: (bounds) => within(engine, bounds, (signal) => observeTasks(engine, signal)),
    removeTasks: (reference, bounds) => within(engine, bounds, (signal) => removeTasks(engine, reference, signal)),
    createRun: (run, bounds) => within(engine, bounds, (signal) => createRun(runs, run, signal)),
    startRun: (containerId, bounds) => within(engine, bounds, (signal) => startRun(runs, containerId, signal)),
    observeRuns: (reference, bounds) => within(engine, bounds, (signal) => observeRuns(runs, reference, signal)),
    stopRun: (containerId, { graceSeconds, ...bounds }) => {
      const seconds = graceSeconds + (bounds.timeoutSeconds ?? engine.callTimeoutSeconds)
      return within(engine, bounds, (signal) => stopRun(engine, containerId, graceSeconds, signal), { seconds })
    },
    removeRuns: (reference, bounds) => within(engine, bounds, (signal) => removeRuns(runs, reference, signal)),
    fileCounts: (bounds) => within(engine, bounds, (signal) => readFileCounts(engine, signal)),
    diskUse: (bounds) => within(engine, bounds, (signal) => readDiskUse(engine, signal)),
    volumeUse: (volumeIds, bounds) => within(engine, bounds, (signal) => readVolumeUse(engine, volumeIds, signal)),
    watch: (onChange, signal) => void watchReplicas(engine, onChange, signal),
  }
}

/** A machine's cores do not change while its engine runs, so they are read once. */
function rememberedCores(engine: DockerEngine): () => Promise<number> {
  let cores: Promise<number> | null = null
  return () => {
    const signal = AbortSignal.timeout(engine.callTimeoutSeconds * 1000)
    cores ??= ask(engine, { path: '/info', signal }).then((info) => (info as { NCPU: number }).NCPU)
    cores.catch(() => {
      cores = null
    })
    return cores
  }
}
