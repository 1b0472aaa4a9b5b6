import type { ContainerRuntime } from '../../engines/runtime/container-runtime.ts'
import { type FreeSpace, readFreeSpace } from '../../storage/files/free-space.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { makeDue } from '../engine/engine-notifications.ts'

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

async function measureDisk(
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

const BYTES_PER_MB = 1024 * 1024
const MIN_GROWTH_MB = 64
/**
 * Watches the file system of an engine that is on this machine, which costs next to nothing: what containers have written is
 * measured at once when much was written since.
 */
export class DiskGrowth {
  readonly #runtime: ContainerRuntime
  readonly #maxBytes: number
  readonly #maxInodes: number
  #folder: string | null = null
  #before: FreeSpace | null = null

  /** What one container may write, in MB and in files. */
  constructor(runtime: ContainerRuntime, limitMb: number, maxFiles: number) {
    this.#runtime = runtime
    this.#maxInodes = maxFiles / 2
    this.#maxBytes = Math.max(MIN_GROWTH_MB, limitMb / 4) * BYTES_PER_MB
  }

  /** Growth counts from now on. Returns whether many files were made before. */
  async begin(): Promise<boolean> {
    const [before, now] = [this.#before, await this.#read()]
    this.#before = now
    return before !== null && now !== null && inodesBetween(before, now) > this.#maxInodes
  }

  /** False where the engine is on another machine. */
  async isFast(): Promise<boolean> {
    const [before, now] = [this.#before, await this.#read()]
    if (!before || !now) return false
    return before.bytes - now.bytes > this.#maxBytes || inodesBetween(before, now) > this.#maxInodes
  }

  async #read(): Promise<FreeSpace | null> {
    try {
      this.#folder ??= (await this.#runtime.machine()).dataRoot
      return await readFreeSpace(this.#folder ?? '')
    } catch {
      return null
    }
  }
}

const inodesBetween = (before: FreeSpace, now: FreeSpace): number => (before.inodes ?? 0) - (now.inodes ?? 0)
