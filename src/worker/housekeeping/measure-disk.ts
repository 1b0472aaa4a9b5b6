import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import { DiskGrowth } from './disk-growth.ts'

const TIMEOUT_SECONDS = 120
/** Measurements: files that are made slowly are counted as well. */
const COUNTED_EVERY = 10

/** Finds containers that write too much, and makes their environments due: a reconcile replaces them. */
export class DiskMeasurement {
  readonly #context: WorkerContext
  readonly #wake: () => void
  readonly #growth: DiskGrowth
  #round = 0

  constructor(context: WorkerContext, wake: () => void) {
    const { runtime, config } = context
    this.#context = context
    this.#wake = wake
    this.#growth = new DiskGrowth(runtime, config.BERTH_CONTAINER_DISK_MB, config.BERTH_CONTAINER_FILES)
  }

  async measure(signal: AbortSignal): Promise<void> {
    const isFast = await this.#growth.begin()
    this.#round += 1
    const countsFiles = isFast || this.#round % COUNTED_EVERY === 0
    await measureDisk(this.#context, signal, this.#wake, { countsFiles })
  }

  /** Whether much was written since. */
  isUrgent(): Promise<boolean> {
    return this.#growth.isFast()
  }
}

export async function measureDisk(
  { runtime, engineHealth, disk, database }: WorkerContext,
  signal: AbortSignal,
  wake: () => void,
  { countsFiles = false } = {},
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: TIMEOUT_SECONDS }
  const files = countsFiles ? await runtime.fileCounts(bounds) : undefined
  const over = disk.record(await runtime.diskUse(bounds), files)
  if (over.length === 0) return
  await makeDue(database, over)
  wake()
}
