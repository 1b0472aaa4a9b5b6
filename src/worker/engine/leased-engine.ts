import type { EngineCommand } from '../../app-types/engines/engine.ts'
import type { Config } from '../../config/config.ts'
import type { CallBounds } from '../../engines/call-bounds.ts'
import type { CommandStreams } from '../../engines/command-streams.ts'
import type {
  BuilderTraits,
  Built,
  BuiltImage,
  ImageBuild,
  ImageBuilder,
  ImagePush,
  RegistryCredential,
  ResolvedImage,
  ResolveOptions,
} from '../../engines/images/image-builder.ts'
import type {
  ContainerRuntime,
  ExecOptions,
  ExecResult,
  ExpectedReplica,
  Listening,
  LogLine,
  ObservedReplica,
  ObservedRun,
  Rollout,
  RolloutReference,
  RunContainer,
  Task,
} from '../../engines/runtime/container-runtime.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { WorkLease } from '../claim/lease.ts'
import type { Collector } from '../logs/collector.ts'
import { type EngineScope, engineKey } from '../scope/engine-scope.ts'
import { type EngineFault, type EngineHealth, isEngineAway } from './engine-health.ts'

const LOG_SECONDS = 5
/** A program of the container may have to answer. */
const LISTENING_SECONDS = 5
/** A large cache has many files. */
const REMOVAL_SECONDS = 120
const MAX_BUILD_SECONDS = 2 * 86_400

/** The engine, bound to the lease of one environment. */
export interface LeasedEngine {
  /** Key of the engine in the database. */
  readonly key: string
  /** Throws RUNTIME_UNAVAILABLE when the engine did not answer within the last seconds. */
  requireReachable(): Promise<void>
  /** Why it is not used; null while it is. */
  fault(): EngineFault | null
  /** Knows no account: what a tenant names goes through `resolveFor` of worker/images/. */
  resolveImage(
    image: string,
    credential: RegistryCredential | null,
    options?: Omit<ResolveOptions, keyof CallBounds>,
  ): Promise<ResolvedImage>
  /** `onStarted`: as the runtime's. */
  apply(rollout: Rollout, onStarted?: () => void): Promise<void>
  observe(): Promise<ObservedReplica[]>
  freeze(name: string): Promise<void>
  /** False: it ran already. */
  unfreeze(name: string): Promise<boolean>
  /** Stops a container, and keeps it. */
  stop(name: string, graceSeconds: number): Promise<void>
  start(name: string): Promise<ObservedReplica>
  remove(replicas: Omit<RolloutReference, 'appEnvId'>, graceSeconds: number, expected?: ExpectedReplica): Promise<void>
  /** And what is attached to it without an environment: the account's builder. */
  removeNetwork(accountId: string): Promise<void>
  removeGroupNetwork(groupId: string): Promise<void>
  builder(onLine: (line: string) => void): Promise<BuilderTraits>
  /** With its cache. None of the account's builds may be under way. */
  removeBuilder(accountId: string): Promise<void>
  /** Has no deadline but the context's signal. */
  build(build: Omit<ImageBuild, 'appEnvId'>): Promise<Built>
  pushImage(push: ImagePush): Promise<string>
  builtImages(): Promise<BuiltImage[]>
  imageSize(id: string): Promise<number | null>
  removeImage(id: string): Promise<void>
  /** Removes whatever builds have left of the environment, including images but for these. */
  removeImages(except: ReadonlySet<string>): Promise<void>
  /** Where a container accepts connections; null when that cannot be found out. */
  listening(name: string): Promise<Listening | null>
  /** Runs a command in one of the environment's containers. `timeoutSeconds` bounds the whole command. */
  exec(
    name: string,
    command: EngineCommand,
    options: Omit<ExecOptions, 'signal'> & { timeoutSeconds: number },
  ): Promise<ExecResult>
  /** Runs a task of the operation to its end. `timeoutSeconds` bounds all of it. */
  runTask(task: Task, options: CommandStreams & { timeoutSeconds: number }): Promise<ExecResult>
  /** Returns the name of the task's container. */
  startTask(task: Task): Promise<string>
  /** Ends and removes tasks of an operation, also those of an earlier attempt. */
  removeTasks(operationId: string): Promise<void>
  /** Creates the container of a run, or finds it. */
  createRun(run: RunContainer): Promise<ObservedRun>
  /** False: the container was never started, never will be, and is gone. Throws NOT_FOUND where it may have run. */
  startRun(containerId: string): Promise<boolean>
  /** Null when there is no such container. */
  observeRun(containerId: string): Promise<ObservedRun | null>
  stopRun(containerId: string, graceSeconds: number): Promise<void>
  /** One container of a run, or with null all of the environment. */
  removeRuns(containerId: string | null): Promise<void>
  /** A volume that nothing uses. */
  removeVolume(volumeId: string): Promise<void>
  /** The last lines of a container's output. */
  tail(name: string, lines: number): Promise<LogLine[]>
}

interface EngineContext {
  scope: EngineScope
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  engineHealth: EngineHealth
  collector: Collector
}

/**
 * Every call checks the lease before and after, has a timeout, and ends with the signal. The check before it keeps a
 * process that was paused past its lease away from the engine. A call that was itself paused can only reach containers
 * of its own rollout, because names and labels differ between rollouts. Observed replicas go to the log collector, and
 * output is collected to its end before a container is removed.
 */
export function leasedEngine(
  { scope, runtime, imageBuilder, engineHealth, collector }: EngineContext,
  lease: WorkLease,
  signal: AbortSignal,
  config: Config,
): LeasedEngine {
  const call = async <T>(timeoutSeconds: number, ask: (bounds: CallBounds) => Promise<T>): Promise<T> => {
    lease.assertHeld()
    signal.throwIfAborted()
    await engineHealth.requireOurs(signal)
    failpoint('engine.asked', lease.appEnvId)
    try {
      const answer = await ask({ signal: AbortSignal.any([signal, engineHealth.gone]), timeoutSeconds })
      failpoint('engine.answered', lease.appEnvId)
      lease.assertHeld()
      return answer
    } catch (error) {
      // Why the work was stopped says more than how the call failed because of it.
      signal.throwIfAborted()
      if (isEngineAway(error)) engineHealth.checkSoon()
      throw error
    }
  }
  const { appEnvId } = lease
  const seconds = config.BERTH_ENGINE_TIMEOUT_SECONDS
  return {
    key: engineKey(scope),
    requireReachable: () => engineHealth.requireReachable(signal),
    fault: () => engineHealth.fault,
    resolveImage: (image, credential, options) =>
      call(config.BERTH_PULL_TIMEOUT_SECONDS, (bounds) =>
        imageBuilder.resolveImage(image, credential, { ...options, ...bounds }),
      ),
    // Each replica takes several calls, and a busy machine starts them slowly.
    apply: (rollout, onStarted = () => {}) =>
      call(seconds + rollout.replicas, (bounds) => runtime.apply(rollout, { ...bounds, onStarted })),
    freeze: (name) => call(seconds, (bounds) => runtime.freeze(name, bounds)),
    unfreeze: (name) => call(seconds, (bounds) => runtime.unfreeze(name, bounds)),
    stop: (name, graceSeconds) => call(seconds, (bounds) => runtime.stop(name, { ...bounds, graceSeconds })),
    start: (name) => call(seconds, (bounds) => runtime.start(name, bounds)),
    async observe() {
      const observed = await call(seconds, (bounds) => runtime.observe({ appEnvId }, bounds))
      collector.observe(appEnvId, observed)
      return observed
    },
    // The runtime adds the grace period to the timeout.
    remove: (replicas, graceSeconds, expected) =>
      call(seconds, (bounds) => {
        const beforeRemoval = (containerId: string) => collector.finish(appEnvId, containerId, signal)
        return runtime.remove(
          { appEnvId, ...replicas },
          { ...bounds, graceSeconds, beforeRemoval, ...(expected ? { expected } : {}) },
        )
      }),
    async removeNetwork(accountId) {
      await this.removeBuilder(accountId)
      await call(seconds, (bounds) => runtime.removeNetwork(accountId, bounds))
    },
    removeGroupNetwork: (groupId) => call(seconds, (bounds) => runtime.removeNetwork(groupId, bounds)),
    removeBuilder: (accountId) => call(REMOVAL_SECONDS, (bounds) => imageBuilder.removeBuilder(accountId, bounds)),
    builder: (onLine) =>
      call(config.BERTH_PULL_TIMEOUT_SECONDS, (bounds) => imageBuilder.traits({ ...bounds, onLine })),
    build: (build) => call(MAX_BUILD_SECONDS, (bounds) => imageBuilder.build({ ...build, appEnvId }, bounds)),
    pushImage: (push) => call(config.BERTH_PULL_TIMEOUT_SECONDS, (bounds) => imageBuilder.pushImage(push, bounds)),
    builtImages: () => call(seconds, (bounds) => imageBuilder.builtImages({ appEnvId }, bounds)),
    imageSize: (id) => call(seconds, (bounds) => imageBuilder.imageSize(id, bounds)),
    removeImage: (id) => call(seconds, (bounds) => imageBuilder.removeImage(id, bounds)),
    async removeImages(except) {
      await call(seconds, (bounds) => imageBuilder.clearBuilds({ appEnvId, since: new Date(0) }, bounds))
      for (const { id } of await this.builtImages()) if (!except.has(id)) await this.removeImage(id)
    },
    listening: (name) => call(LISTENING_SECONDS, (bounds) => runtime.listening(name, bounds)),
    exec: (name, command, { timeoutSeconds, ...options }) =>
      call(timeoutSeconds, (bounds) => runtime.exec(name, command, { ...options, ...bounds })),
    runTask: (task, { timeoutSeconds, ...streams }) =>
      call(timeoutSeconds, (bounds) => runtime.runTask(task, { ...streams, ...bounds })),
    startTask: (task) => call(seconds, (bounds) => runtime.startTask(task, bounds)),
    removeTasks: (operationId) => call(seconds, (bounds) => runtime.removeTasks({ appEnvId, operationId }, bounds)),
    createRun: (run) => call(seconds, (bounds) => runtime.createRun(run, bounds)),
    startRun: (containerId) => call(seconds, (bounds) => runtime.startRun(containerId, bounds)),
    async observeRun(containerId) {
      const [observed] = await call(seconds, (bounds) => runtime.observeRuns({ containerId }, bounds))
      return observed ?? null
    },
    stopRun: (containerId, graceSeconds) =>
      call(seconds, (bounds) => runtime.stopRun(containerId, { ...bounds, graceSeconds })),
    removeRuns: (containerId) =>
      call(seconds, (bounds) => runtime.removeRuns(containerId === null ? { appEnvId } : { containerId }, bounds)),
    removeVolume: (volumeId) => call(seconds, (bounds) => runtime.removeVolume(volumeId, bounds)),
    tail: (name, lines) =>
      call(LOG_SECONDS, (bounds) => Array.fromAsync(runtime.logs(name, { ...bounds, tail: lines }))),
  }
}
