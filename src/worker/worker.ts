import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import { type Listening, listen } from '../database/listen.ts'
import type { RecordScaling } from '../domain/autoscaling.ts'
import { failpoint } from '../fault-injection/failpoint.ts'
import type { ImageBuilder } from '../images/image-builder.ts'
import type { ContainerEnd, ContainerRuntime } from '../runtime/container-runtime.ts'
import type { Vault } from '../secrets/vault.ts'
import { WorkerStopping } from './claim/abandoned.ts'
import { BuildSlots } from './claim/build-slots.ts'
import type { Lease } from './claim/lease.ts'
import { LeaseKeeper } from './claim/lease-keeper.ts'
import { claim, claimForRequests, release } from './claim/lease-table.ts'
import { WorkQueue } from './claim/work-queue.ts'
import type { WorkerContext } from './context/worker-context.ts'
import { EngineHealth } from './engine/engine-health.ts'
import { EngineNotifications } from './engine/engine-notifications.ts'
import { recordEngine } from './engine/engine-record.ts'
import { InstallationLoop } from './housekeeping/installation-loop.ts'
import { measureDiskForever } from './housekeeping/measure-disk.ts'
import { measureVolumesForever } from './housekeeping/measure-volumes.ts'
import { sweepForever } from './housekeeping/sweep.ts'
import { validateHostsForever } from './housekeeping/validate-hosts.ts'
import { Collector } from './logs/collector.ts'
import { measureServicesForever } from './metrics/measure-services.ts'
import { sampleForever } from './metrics/sample-forever.ts'
import { DiskQuota } from './probes/disk-quota.ts'
import { NetworkRepairs } from './probes/network-repairs.ts'
import { ProbeHistory } from './probes/probe-history.ts'
import { environmentContext, processEnvironment } from './process-environment.ts'
import { scaleForever } from './request-scaling/scale-forever.ts'
import { ScalingQueue } from './request-scaling/scaling-queue.ts'
import { RunWorker } from './runs/run-worker.ts'
import { WebhookWorker } from './webhooks/webhook-worker.ts'

/** How long a stop waits for leases to be handed back; those that are not, expire. */
const STOP_MS = 7_000

export interface WorkerOptions {
  database: Database
  /** For the session that listens for notifications. */
  databaseUrl: string
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  vault: Vault
  config: Config
  log: Logger
  recordScaling: RecordScaling
  beginDueBackups: () => Promise<void>
  beginDueJobRuns: () => Promise<number | null>
  advanceInstallations: () => Promise<void>
  id?: string
}

export interface Worker {
  readonly id: string
  start(): void
  /** Hands leases back. Containers keep running. Never throws. */
  stop(): Promise<void>
  isReady(): boolean
  /** Why claims fail at the moment; null while they succeed. */
  readonly lastError: string | null
  /** Whether the engine answers; null before the first check. */
  readonly engine: { reachable: boolean | null; reason: string | null }
}

/** Carries out what requests have recorded, and keeps it so. Any number of workers share one database. */
export function createWorker(options: WorkerOptions): Worker {
  const { id = `worker-${randomUUID()}`, database, config, log, runtime } = options
  const stopping = new AbortController()
  const leaseKeeper = new LeaseKeeper(database, config.BERTH_LEASE_SECONDS, log)
  const engineHealth = new EngineHealth(runtime, log, (changed) =>
    recordEngine(database, engineHealth, changed, wakeAll),
  )
  const engineNotifications = new EngineNotifications(database, log, () => queues.reconciles.wake())
  const collector = new Collector({ ...options, owner: id })
  const builds = new BuildSlots(config.BERTH_BUILD_CONCURRENCY)
  const disk = new DiskQuota(config.BERTH_CONTAINER_DISK_MB)
  const memory = { probes: new ProbeHistory(), repairs: new NetworkRepairs(), disk }
  const context: WorkerContext = { ...options, ...memory, engineHealth, collector, builds }
  const scalings = new ScalingQueue((appEnvId) => claimForRequests(database, appEnvId, id, config.BERTH_LEASE_SECONDS))
  const installations = new InstallationLoop(context)
  const queues = {
    operations: queueOf(() => claim(database, 'operations', id, config.BERTH_LEASE_SECONDS), installations.wake),
    scalings: queueOf(() => scalings.claim()),
    reconciles: queueOf(() => claim(database, 'reconciles', id, config.BERTH_LEASE_SECONDS)),
  }
  const runs = new RunWorker(context, id, environmentContext)
  const webhooks = new WebhookWorker(context, id)
  let listening: Listening | null = null
  let running: Promise<unknown> = Promise.resolve()

  function queueOf(claimNext: () => Promise<Lease | null>, onEnd = () => {}): WorkQueue {
    const process = (lease: Lease) => processClaim(lease).finally(onEnd)
    return new WorkQueue({ slots: config.BERTH_WORKER_CONCURRENCY, log, claim: claimNext, process })
  }

  function wakeAll(): void {
    for (const queue of Object.values(queues)) queue.wake()
  }

  /** Requests want an environment to be changed: somebody may wait. */
  function onRequests(appEnvId: string): void {
    scalings.add(appEnvId)
    leaseKeeper
      .askFor(appEnvId)
      .catch((error: unknown) => log.debug({ err: error, appEnvId }, 'Interrupting work for requests failed'))
    queues.scalings.wake()
  }

  /** From claim to release. A request may have arrived meanwhile, so both queues claim again. */
  async function processClaim(lease: Lease): Promise<void> {
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

  function onNotification(appEnvId: string): void {
    leaseKeeper
      .checkNow(appEnvId)
      .catch((error: unknown) => log.debug({ err: error, appEnvId }, 'Checking a lease on notification failed'))
    wakeAll()
  }

  const listeners = {
    berth_work: onNotification,
    berth_requests: onRequests,
    berth_runs: (appEnvId: string) => runs.notify(appEnvId),
  }

  function onScan(appEnvIds: readonly string[]): void {
    for (const appEnvId of appEnvIds) {
      scalings.add(appEnvId)
      leaseKeeper.poke(appEnvId)
    }
    queues.scalings.wake()
  }

  function onEngineNotification(appEnvId: string, end: ContainerEnd | null): void {
    engineNotifications.add(appEnvId)
    collector.notify(appEnvId, end)
  }

  return {
    id,
    start() {
      const { signal } = stopping
      listening = listen({
        url: options.databaseUrl,
        channels: ['berth_work', 'berth_requests', 'berth_runs'],
        log,
        onNotification: (channel, appEnvId) => listeners[channel as keyof typeof listeners](appEnvId),
        onConnect() {
          wakeAll()
          runs.notify(null)
        },
      })
      if (config.BERTH_ENGINE_EVENTS) runtime.watch(onEngineNotification, signal)
      running = Promise.all([
        ...Object.values(queues).map((queue) => queue.run(signal)),
        ...[leaseKeeper.run(signal), engineHealth.run(signal), engineNotifications.run(signal)],
        ...[
          sweepForever(context, signal, wakeAll),
          measureDiskForever(context, signal, wakeAll),
          measureVolumesForever(context, signal),
          collector.run(signal),
        ],
        ...[sampleForever(context, signal), measureServicesForever(context, signal)],
        ...[validateHostsForever(context, signal), scaleForever(context, signal, onScan), runs.run(signal)],
        ...[installations.run(signal), webhooks.run(signal)],
      ])
    },
    async stop() {
      const reason = new WorkerStopping('The worker is being stopped')
      stopping.abort(reason)
      runs.stop(reason)
      for (const lease of leaseKeeper.held) lease.end(stopping.signal.reason)
      await Promise.race([Promise.all([running, listening?.close()]), sleep(STOP_MS, undefined, { ref: false })])
    },
    isReady: () => Object.values(queues).every(({ lastError }) => lastError === null) && !stopping.signal.aborted,
    get lastError() {
      return Object.values(queues).find(({ lastError }) => lastError !== null)?.lastError ?? null
    },
    engine: engineHealth,
  }
}
