import type { Logger } from 'pino'
import type { ImageBuilder } from '../engines/images/image-builder.ts'
import type { ContainerRuntime } from '../engines/runtime/container-runtime.ts'
import type { Database } from '../storage/database/client.ts'
import { WorkerStopping } from './claim/abandoned.ts'
import type { EngineWorker } from './engine-worker.ts'
import type { EngineScope, RegionEngine } from './scope/engine-scope.ts'
import { sleep } from './time/sleep.ts'

/** How long the engine of a new region may wait for the worker to find it. */
const POLL_MS = 2_000

/** An engine to itself of a region, as the region says. */
export interface RegionEngineAddress extends RegionEngine {
  /** Address of its machine on which containers are published; null: as the installation's are reached. */
  reachAddress: string | null
}

export interface OpenedEngine {
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
  /** Ends its connections. */
  close(): void
}

interface RegionEnginesOptions {
  database: Database
  log: Logger
  open(region: RegionEngineAddress): OpenedEngine
  workOn(scope: EngineScope, engine: OpenedEngine): EngineWorker
}

interface Running {
  region: RegionEngineAddress
  worker: EngineWorker
  ended: Promise<void>
}

/** The regions that have engines to themselves: a worker works on each, which begins and ends as the regions change. */
export class RegionEngines {
  readonly #options: RegionEnginesOptions
  readonly #running = new Map<string, Running>()

  constructor(options: RegionEnginesOptions) {
    this.#options = options
  }

  get workers(): EngineWorker[] {
    return [...this.#running.values()].map(({ worker }) => worker)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#options
    while (!signal.aborted) {
      await this.#follow().catch((error: unknown) => log.debug({ err: error }, 'Reading the engines of regions failed'))
      await sleep(POLL_MS, signal)
    }
    const reason = signal.reason instanceof WorkerStopping ? signal.reason : new WorkerStopping('The worker stops')
    for (const { worker } of this.#running.values()) worker.stop(reason)
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #follow(): Promise<void> {
    const rows = await this.#options.database.region.findMany({
      where: { engine: { not: null } },
      select: { code: true, engine: true, reachAddress: true },
    })
    const wanted = new Map(
      rows.flatMap(({ code, engine, reachAddress }) =>
        engine === null ? [] : [[code, { regionCode: code, engine, reachAddress }] as const],
      ),
    )
    for (const [code, { region, worker }] of this.#running) {
      const now = wanted.get(code)
      if (now?.engine === region.engine && now.reachAddress === region.reachAddress) continue
      // Its leases are handed back; what replaces it begins once it has ended.
      worker.stop(new WorkerStopping(`The engine of the region ${code} has changed`))
    }
    for (const [code, region] of wanted) if (!this.#running.has(code)) this.#begin(code, region)
  }

  #begin(code: string, region: RegionEngineAddress): void {
    const { open, workOn, log } = this.#options
    const { regionCode, engine: address } = region
    const engine = open(region)
    const worker = workOn({ regionCode, engine: address }, engine)
    const ended = worker
      .run()
      .catch((error: unknown) => log.error({ err: error, region: code }, 'Work on an engine ended; it begins again'))
      .finally(() => {
        engine.close()
        this.#running.delete(code)
      })
    log.info({ region: code }, 'Working on the container engine of a region')
    this.#running.set(code, { region, worker, ended })
  }
}
