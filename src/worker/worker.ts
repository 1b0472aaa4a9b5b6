import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import { type Listening, listen } from '../database/listen.ts'
import { failpoint } from '../fault-injection/failpoint.ts'
import type { ContainerEnd, Runtime } from '../runtime/runtime.ts'
import type { Vault } from '../secrets/vault.ts'
import { WorkerStopping } from './claim/abandoned.ts'
import { BuildSlots } from './claim/build-slots.ts'
import type { QueueName as LaneName, Lease } from './claim/lease.ts'
import { LeaseKeeper } from './claim/lease-keeper.ts'
import { claim, release } from './claim/lease-table.ts'
import { WorkQueue } from './claim/work-queue.ts'
import type { WorkerContext } from './context/worker-context.ts'
import { EngineHealth } from './engine/engine-health.ts'
import { EngineNotifications } from './engine/engine-notifications.ts'
import { recordEngine } from './engine/engine-record.ts'
import { sweepForever } from './housekeeping/sweep.ts'
import { validateHostsForever } from './housekeeping/validate-hosts.ts'
import { Collector } from './logs/collector.ts'
import { sampleForever } from './metrics/sample-forever.ts'
import { ProbeHistory } from './probes/probe-history.ts'
import { processEnvironment } from './process-environment.ts'

/** Within this time after a stop, leases have been handed back; whatever has not, expires. */
const STOP_MS = 7_000

export interface WorkerOptions {
  database: Database
  /** For the session that listens for hints. */
  databaseUrl: string
  runtime: Runtime
  vault: Vault
  config: Config
  log: Logger
  id?: string
}

export interface Worker {
  readonly id: string
  start(): void
  /** Hands leases back and leaves containers alone. Never throws. */
  stop(): Promise<void>
  isReady(): boolean
  /** Why it cannot work at the moment. */
  readonly lastError: string | null
  /** Whether the engine answers; null before it was asked. */
  readonly engine: { reachable: boolean | null; reason: string | null }
}

/** Brings about what requests have recorded, and keeps it so. Any number of workers share one database. */
export function createWorker(options: WorkerOptions): Worker {
  const { id = `worker-${randomUUID()}`, database, config, log, runtime } = options
  const stopping = new AbortController()
  const heart = new LeaseKeeper(database, config.BERTH_LEASE_SECONDS, log)
  const link = new EngineHealth(runtime, log, (changed) => recordEngine(database, link, changed, pokeAll))
  const hints = new EngineNotifications(database, log, () => queues.looks.wake())
  const collector = new Collector({ ...options, owner: id })
  const builds = new BuildSlots(config.BERTH_BUILD_CONCURRENCY)
  const tools: WorkerContext = { ...options, link, probes: new ProbeHistory(), collector, builds }
  const queues = { operations: laneFor('operations'), looks: laneFor('looks') }
  let listening: Listening | null = null
  let running: Promise<unknown> = Promise.resolve()

  function laneFor(name: LaneName): WorkQueue {
    return new WorkQueue({
      slots: config.BERTH_WORKER_CONCURRENCY,
      log,
      claim: () => claim(database, name, id, config.BERTH_LEASE_SECONDS),
      attend: hold,
    })
  }

  function pokeAll(): void {
    queues.operations.wake()
    queues.looks.wake()
  }

  /** From claim to release. What was asked for meanwhile is due at once, so both queues look. */
  async function hold(lease: Lease): Promise<void> {
    heart.add(lease)
    failpoint('lease.claimed', lease.appEnvId)
    if (stopping.signal.aborted) lease.end(stopping.signal.reason)
    const result = await processEnvironment(tools, lease)
    heart.drop(lease)
    lease.close()
    try {
      await release(database, lease, result)
      failpoint('lease.released', lease.appEnvId)
    } catch (error) {
      log.warn({ err: error, appEnvId: lease.appEnvId }, 'A lease could not be handed back; it will expire')
    }
    pokeAll()
    // Sooner than the lane would look by itself. Unreferenced: it is no reason to keep a process.
    if (result.lookAgainSeconds < 1) setTimeout(() => queues.looks.wake(), result.lookAgainSeconds * 1000 + 5).unref()
  }

  function onHint(appEnvId: string): void {
    heart.hint(appEnvId).catch((error: unknown) => log.debug({ err: error }, 'A hint could not be followed'))
    pokeAll()
  }

  function onEngineHint(appEnvId: string, end: ContainerEnd | null): void {
    hints.add(appEnvId)
    collector.note(appEnvId, end)
  }

  return {
    id,
    start() {
      const { signal } = stopping
      listening = listen({
        url: options.databaseUrl,
        channels: ['berth_work'],
        log,
        onHint: (_channel, appEnvId) => onHint(appEnvId),
        onConnect: pokeAll,
      })
      if (config.BERTH_ENGINE_EVENTS) runtime.watch(onEngineHint, signal)
      running = Promise.all([
        ...[queues.operations.run(signal), queues.looks.run(signal), heart.run(signal), link.run(signal)],
        ...[hints.run(signal), sweepForever(tools, signal, pokeAll), collector.run(signal)],
        ...[sampleForever(tools, signal), validateHostsForever(tools, signal)],
      ])
    },
    async stop() {
      stopping.abort(new WorkerStopping('The worker is being stopped'))
      for (const lease of heart.held) lease.end(stopping.signal.reason)
      await Promise.race([Promise.all([running, listening?.close()]), sleep(STOP_MS, undefined, { ref: false })])
    },
    isReady: () => queues.operations.lastError === null && queues.looks.lastError === null && !stopping.signal.aborted,
    get lastError() {
      return queues.operations.lastError ?? queues.looks.lastError
    },
    engine: link,
  }
}
