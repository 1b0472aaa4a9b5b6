import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PartState } from '../domain/part-states.ts'
import type { ImageBuilder } from '../engines/images/image-builder.ts'
import type { ContainerRuntime } from '../engines/runtime/container-runtime.ts'
import { type Listening, listen } from '../storage/database/listen.ts'
import { WorkerStopping } from './claim/abandoned.ts'
import type { InstallationContext } from './context/worker-context.ts'
import type { EngineFault } from './engine/engine-health.ts'
import type { InstallationSite } from './engine/engine-ownership.ts'
import { createEngineWorker, type EngineWorker } from './engine-worker.ts'
import { ENDED_OPERATION_TASKS, installationTasks } from './periodic/installation-tasks.ts'
import { PeriodicTasks, type TaskState } from './periodic/periodic-tasks.ts'
import { type OpenedEngine, type RegionEngineAddress, RegionEngines } from './region-engines.ts'
import { type EngineScope, engineName, INSTALLATION_ENGINE } from './scope/engine-scope.ts'
import { WebhookWorker } from './webhooks/webhook-worker.ts'

/** How long a stop waits for leases to be handed back; those that are not, expire. */
const STOP_MS = 7_000

export interface WorkerOptions extends InstallationContext {
  /** For the session that listens for notifications. */
  databaseUrl: string
  /** The engine of the installation. */
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  /** Opens the engine of a region. Without it, environments of regions with engines of their own wait. */
  openRegionEngine?: (region: RegionEngineAddress) => OpenedEngine
  id?: string
  /** Where the database is, as far as a copy of it would be elsewhere. */
  site?: InstallationSite
}

export interface Worker {
  readonly id: string
  start(): void
  /** Hands leases back. Containers keep running. Never throws. */
  stop(): Promise<void>
  isReady(): boolean
  /** Why claims fail at the moment; null while they succeed. */
  readonly lastError: PartState | null
  /** What has become of the periodic tasks, and on which engine; null: on that of the installation, or on none. */
  readonly tasks: readonly (TaskState & { engine: EngineScope })[]
  /**
   * Whether the engines answer; null before the first check. The reason names the first that does not, and never the
   * address or keys of a region's: all users may read it.
   */
  readonly engine: { reachable: boolean | null; fault: EngineFault | null; reason: string | null }
}

/** Carries out what requests have recorded, and keeps it so. Any number of workers share one database. */
export function createWorker(options: WorkerOptions): Worker {
  const { id = `worker-${randomUUID()}`, database, log, openRegionEngine } = options
  const stopping = new AbortController()
  const tasks = new PeriodicTasks(installationTasks(options), log)
  const webhooks = new WebhookWorker(options, id)
  const own = workOn(INSTALLATION_ENGINE, options)
  const regions = openRegionEngine ? new RegionEngines({ database, log, open: openRegionEngine, workOn }) : null
  const engines = (): EngineWorker[] => [own, ...(regions?.workers ?? [])]
  let listening: Listening | null = null
  let running: Promise<unknown> = Promise.resolve()

  function workOn(scope: EngineScope, { runtime, imageBuilder }: Pick<WorkerOptions, 'runtime' | 'imageBuilder'>) {
    const about = scope ? { log: log.child({ region: scope.regionCode }) } : {}
    const site = options.site ?? { place: '', holder: id }
    return createEngineWorker({ ...options, ...about, site, scope, runtime, imageBuilder, id, onOperationEnd })
  }

  function onOperationEnd(): void {
    for (const name of ENDED_OPERATION_TASKS) tasks.wake(name)
  }

  const listeners = {
    berth_work: (engine: EngineWorker, appEnvId: string) => engine.onWork(appEnvId),
    berth_requests: (engine: EngineWorker, appEnvId: string) => engine.onRequests(appEnvId),
    berth_runs: (engine: EngineWorker, appEnvId: string) => engine.onRuns(appEnvId),
    berth_sessions: (engine: EngineWorker) => engine.onSession(),
  }

  return {
    id,
    start() {
      const { signal } = stopping
      listening = listen({
        url: options.databaseUrl,
        channels: ['berth_work', 'berth_requests', 'berth_runs', 'berth_sessions'],
        log,
        onNotification(channel, appEnvId) {
          for (const engine of engines()) listeners[channel as keyof typeof listeners](engine, appEnvId)
        },
        onConnect() {
          for (const engine of engines()) {
            engine.wake()
            engine.onRuns(null)
          }
        },
      })
      running = Promise.all([own.run(), regions?.run(signal), tasks.run(signal), webhooks.run(signal)])
    },
    async stop() {
      const reason = new WorkerStopping('The worker is being stopped')
      stopping.abort(reason)
      for (const engine of engines()) engine.stop(reason)
      await Promise.race([Promise.all([running, listening?.close()]), sleep(STOP_MS, undefined, { ref: false })])
    },
    isReady: () => engines().every(({ lastError }) => lastError === null) && !stopping.signal.aborted,
    get tasks() {
      const ofEngines = engines().flatMap(({ scope, tasks }) => tasks.map((task) => ({ ...task, engine: scope })))
      return [...tasks.states.map((task) => ({ ...task, engine: null })), ...ofEngines]
    },
    get lastError() {
      return engines().find(({ lastError }) => lastError !== null)?.lastError ?? null
    },
    get engine() {
      const away = engines().find(({ health }) => health.reachable === false)
      if (!away) return { reachable: own.health.reachable, fault: null, reason: null }
      const { fault, reason } = away.health
      const detail = away.scope === null || fault !== 'ENGINE_UNREACHABLE' ? reason : null
      return { reachable: false, fault, reason: detail ?? `${engineName(away.scope)} does not answer` }
    },
  }
}
