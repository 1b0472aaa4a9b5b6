import type { Logger } from 'pino'
import type { PartState } from '../domain/part-states.ts'
import type { ImageBuilder } from '../engines/images/image-builder.ts'
import type { ContainerEnd, ContainerRuntime } from '../engines/runtime/container-runtime.ts'
import { failpoint } from '../fault-injection/failpoint.ts'
import { Prisma } from '../storage/database/generated/prisma/client.ts'
import type { WorkerStopping } from './claim/abandoned.ts'
import type { AccountShares } from './claim/account-shares.ts'
import type { AppEnvLease } from './claim/app-env-lease.ts'
import { BuildSlots } from './claim/build-slots.ts'
import { LeaseKeeper } from './claim/lease-keeper.ts'
import { claim, claimForRequests, release } from './claim/lease-table.ts'
import { WorkQueue } from './claim/work-queue.ts'
import type { InstallationContext, WorkerContext } from './context/worker-context.ts'
import { EngineHealth } from './engine/engine-health.ts'
import { EngineNotifications } from './engine/engine-notifications.ts'
import { EngineOwnership, type InstallationSite } from './engine/engine-ownership.ts'
import { recordEngine } from './engine/engine-record.ts'
import { Collector } from './logs/collector.ts'
import { engineTasks } from './periodic/engine-tasks.ts'
import { PeriodicTasks, type TaskState } from './periodic/periodic-tasks.ts'
import { DiskQuota } from './probes/disk-quota.ts'
import { NetworkRepairs } from './probes/network-repairs.ts'
import { ProbeHistory } from './probes/probe-history.ts'
import { environmentContext, processEnvironment } from './process-environment.ts'
import { RemoteSessionWorker } from './remote-sessions/remote-session-worker.ts'
import { ScalingQueue } from './request-scaling/scaling-queue.ts'
import { RunWorker } from './runs/run-worker.ts'
import { type EngineScope, isOnEngine } from './scope/engine-scope.ts'

export interface EngineWorkerOptions extends InstallationContext {
  scope: EngineScope
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  site: InstallationSite
  /** The worker's name, which owns its leases. */
  id: string
  log: Logger
  onOperationEnd: () => void
}

/** The part of a worker that works on one container engine. Engines hold up each other nowhere: each has its own slots. */
export interface EngineWorker {
  readonly scope: EngineScope
  readonly health: EngineHealth
  /** Why claims fail at the moment; null while they succeed. */
  readonly lastError: PartState | null
  /** What has become of the periodic tasks. */
  readonly tasks: readonly TaskState[]
  /** Something may be due. */
  wake(): void
  /** Work on the environment has been asked for, or has become pointless. */
  onWork(appEnvId: string): void
  /** Requests need the environment to be scaled, and may be waiting. */
  onRequests(appEnvId: string): void
  /** A run or a schedule of the environment has changed; null: perhaps of any. */
  onRuns(appEnvId: string | null): void
  /** A client waits for a remote session. */
  onSession(): void
  /** Works until it is stopped. */
  run(): Promise<void>
  /** Hands leases back; `run` then ends. */
  stop(reason: WorkerStopping): void
}

export function createEngineWorker(options: EngineWorkerOptions): EngineWorker {
  const { scope, id, database, config, log, runtime } = options
  const { BERTH_LEASE_SECONDS: leaseSeconds } = config
  const stopping = new AbortController()
  const leaseKeeper = new LeaseKeeper(database, leaseSeconds, log)
  const engineHealth = new EngineHealth(
    runtime,
    log,
    (changed) => recordEngine(database, engineHealth, changed, wakeAll, scope),
    new EngineOwnership(options),
  )
  const engineNotifications = new EngineNotifications(database, log, () => queues.reconciles.wake())
  const collector = new Collector({ ...options, owner: id })
  const builds = new BuildSlots(config.BERTH_BUILD_CONCURRENCY)
  const disk = new DiskQuota(config.BERTH_CONTAINER_DISK_MB, config.BERTH_CONTAINER_FILES)
  const memory = { probes: new ProbeHistory(), repairs: new NetworkRepairs(), disk }
  const context: WorkerContext = { ...options, ...memory, engineHealth, collector, builds }
  const scalings = new ScalingQueue((appEnvId) => claimForRequests(database, appEnvId, id, leaseSeconds, scope), isOurs)
  const queues = {
    operations: queueOf(
      (shares) => claim(database, 'operations', id, leaseSeconds, { scope, shares }),
      options.onOperationEnd,
    ),
    scalings: queueOf(() => scalings.claim()),
    reconciles: queueOf((shares) => claim(database, 'reconciles', id, leaseSeconds, { scope, shares })),
  }
  const runs = new RunWorker(context, id, environmentContext)
  const remoteSessions = new RemoteSessionWorker(context, id)
  const tasks = new PeriodicTasks(engineTasks(context, remoteSessions, { wake: wakeAll, onDueScalings }), log)

  function queueOf(claimNext: (shares: AccountShares) => Promise<AppEnvLease | null>, onEnd = () => {}): WorkQueue {
    const process = (lease: AppEnvLease) => processClaim(lease).finally(onEnd)
    return new WorkQueue({ slots: config.BERTH_WORKER_CONCURRENCY, log, claim: claimNext, process })
  }

  async function isOurs(appEnvId: string): Promise<boolean> {
    const found = await database.$queryRaw<unknown[]>`
      SELECT 1 FROM app_env e WHERE e.id = ${appEnvId} AND ${isOnEngine(Prisma.sql`e.region_code`, scope)}`
    return found.length > 0
  }

  function wakeAll(): void {
    for (const queue of Object.values(queues)) queue.wake()
  }

  /** From claim to release. A request may have arrived meanwhile, so both queues claim again. */
  async function processClaim(lease: AppEnvLease): Promise<void> {
    leaseKeeper.add(lease)
    failpoint('lease.claimed', lease.appEnvId)
    if (stopping.signal.aborted) lease.end(stopping.signal.reason)
    const result = await processEnvironment(context, lease)
    leaseKeeper.drop(lease)
    lease.close()
    try {
      await release(database, lease, result)
      failpoint('lease.released', lease.appEnvId)
    } catch (error) {
      log.warn({ err: error, appEnvId: lease.appEnvId }, 'Releasing a lease failed; it expires on its own')
    }
    wakeAll()
    const { requeueAfterSeconds } = result
    // Sooner than the queue's next poll. Unreferenced, so that it does not keep the process alive.
    if (requeueAfterSeconds < 1) setTimeout(() => queues.reconciles.wake(), requeueAfterSeconds * 1000 + 5).unref()
  }

  function onDueScalings(appEnvIds: readonly string[]): void {
    for (const appEnvId of appEnvIds) {
      scalings.add(appEnvId)
      leaseKeeper.wake(appEnvId)
    }
    queues.scalings.wake()
  }

  function onEngineNotification(appEnvId: string, end: ContainerEnd | null): void {
    engineNotifications.add(appEnvId)
    collector.notify(appEnvId, end)
  }

  return {
    scope,
    health: engineHealth,
    get lastError() {
      return Object.values(queues).find(({ lastError }) => lastError !== null)?.lastError ?? null
    },
    get tasks() {
      return tasks.states
    },
    wake: wakeAll,
    onWork(appEnvId) {
      leaseKeeper
        .checkNow(appEnvId)
        .catch((error: unknown) => log.debug({ err: error, appEnvId }, 'Checking a lease on notification failed'))
      wakeAll()
    },
    onRequests(appEnvId) {
      scalings.add(appEnvId)
      leaseKeeper
        .interruptForRequests(appEnvId)
        .catch((error: unknown) => log.debug({ err: error, appEnvId }, 'Interrupting work for requests failed'))
      queues.scalings.wake()
    },
    onRuns: (appEnvId) => runs.notify(appEnvId),
    onSession: () => remoteSessions.notify(),
    async run() {
      const { signal } = stopping
      if (config.BERTH_ENGINE_EVENTS) runtime.watch(onEngineNotification, signal)
      await Promise.all([
        ...Object.values(queues).map((queue) => queue.run(signal)),
        leaseKeeper.run(signal),
        engineHealth.run(signal),
        engineNotifications.run(signal),
        collector.run(signal),
        tasks.run(signal),
        runs.run(signal),
        remoteSessions.run(signal),
      ])
    },
    stop(reason) {
      stopping.abort(reason)
      runs.stop(reason)
      for (const lease of leaseKeeper.held) lease.end(reason)
    },
  }
}
