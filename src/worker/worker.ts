import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/client.ts'
import { type Listening, listen } from '../database/listen.ts'
import { failpoint } from '../fault-injection/failpoint.ts'
import type { ContainerEnd, Runtime } from '../runtime/runtime.ts'
import type { Vault } from '../secrets/vault.ts'
import { BuildSlots } from './builds/build-slots.ts'
import { WorkerStopping } from './claim/abandoned.ts'
import type { Lane as LaneName, Lease } from './claim/lease.ts'
import { Heart } from './claim/lease-keeper.ts'
import { claim, release } from './claim/lease-table.ts'
import { Lane } from './claim/work-queue.ts'
import { EngineLink } from './engine/engine-health.ts'
import { EngineHints } from './engine/engine-notifications.ts'
import { recordEngine } from './engine/engine-record.ts'
import { sweepForever } from './housekeeping/sweep.ts'
import { validateHostsForever } from './housekeeping/validate-hosts.ts'
import { Collector } from './logs/collector.ts'
import { sampleForever } from './metrics/sample-forever.ts'
import { attend, type Tools } from './process-environment.ts'
import { ProbeMemory } from './reconcile/probe-history.ts'

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
  const heart = new Heart(database, config.BERTH_LEASE_SECONDS, log)
  const link = new EngineLink(runtime, log, (changed) => recordEngine(database, link, changed, pokeAll))
  const hints = new EngineHints(database, log, () => lanes.looks.poke())
  const collector = new Collector({ ...options, owner: id })
  const builds = new BuildSlots(config.BERTH_BUILD_CONCURRENCY)
  const tools: Tools = { ...options, link, probes: new ProbeMemory(), collector, builds }
  const lanes = { operations: laneFor('operations'), looks: laneFor('looks') }
  let listening: Listening | null = null
  let running: Promise<unknown> = Promise.resolve()

  function laneFor(name: LaneName): Lane {
    return new Lane({
      places: config.BERTH_WORKER_CONCURRENCY,
      log,
      claim: () => claim(database, name, id, config.BERTH_LEASE_SECONDS),
      attend: hold,
    })
  }

  function pokeAll(): void {
    lanes.operations.poke()
    lanes.looks.poke()
  }

  /** From claim to release. What was asked for meanwhile is due at once, so both lanes look. */
  async function hold(lease: Lease): Promise<void> {
    heart.add(lease)
    failpoint('lease.claimed', lease.appEnvId)
    if (stopping.signal.aborted) lease.end(stopping.signal.reason)
    const looked = await attend(tools, lease)
    heart.drop(lease)
    lease.close()
    try {
      await release(database, lease, looked)
      failpoint('lease.released', lease.appEnvId)
    } catch (error) {
      log.warn({ err: error, appEnvId: lease.appEnvId }, 'A lease could not be handed back; it will expire')
    }
    pokeAll()
    // Sooner than the lane would look by itself. Unreferenced: it is no reason to keep a process.
    if (looked.lookAgainSeconds < 1) setTimeout(() => lanes.looks.poke(), looked.lookAgainSeconds * 1000 + 5).unref()
  }

  function onHint(appEnvId: string): void {
    heart.hint(appEnvId).catch((error: unknown) => log.debug({ err: error }, 'A hint could not be followed'))
    pokeAll()
  }

  function onEngineHint(appEnvId: string, end: ContainerEnd | null): void {
    hints.note(appEnvId)
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
        ...[lanes.operations.run(signal), lanes.looks.run(signal), heart.run(signal), link.run(signal)],
        ...[hints.run(signal), sweepForever(tools, signal, pokeAll), collector.run(signal)],
        ...[sampleForever(tools, signal), validateHostsForever(tools, signal)],
      ])
    },
    async stop() {
      stopping.abort(new WorkerStopping('The worker is being stopped'))
      for (const lease of heart.held) lease.end(stopping.signal.reason)
      await Promise.race([Promise.all([running, listening?.close()]), sleep(STOP_MS, undefined, { ref: false })])
    },
    isReady: () => lanes.operations.lastError === null && lanes.looks.lastError === null && !stopping.signal.aborted,
    get lastError() {
      return lanes.operations.lastError ?? lanes.looks.lastError
    },
    engine: link,
  }
}
