import type { ContainerRuntime } from '../../engines/runtime/container-runtime.ts'
import { type FreeSpace, readFreeSpace } from '../../storage/files/free-space.ts'

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
