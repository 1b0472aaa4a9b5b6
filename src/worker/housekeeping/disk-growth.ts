import { statfs } from 'node:fs/promises'
import type { ContainerRuntime } from '../../runtime/container-runtime.ts'

const BYTES_PER_MB = 1024 * 1024
const MIN_GROWTH_MB = 64
/** Files and folders. */
const MAX_NEW_INODES = 100_000

interface Free {
  bytes: number
  inodes: number
}

/**
 * Watches the file system of an engine that is on this machine, which costs next to nothing: what containers have written is
 * measured at once when much was written since.
 */
export class DiskGrowth {
  readonly #runtime: ContainerRuntime
  readonly #maxBytes: number
  #folder: string | null = null
  #before: Free | null = null

  /** `limitMb`: what one container may write. */
  constructor(runtime: ContainerRuntime, limitMb: number) {
    this.#runtime = runtime
    this.#maxBytes = Math.max(MIN_GROWTH_MB, limitMb / 4) * BYTES_PER_MB
  }

  /** Growth counts from now on. */
  async begin(): Promise<void> {
    this.#before = await this.#read()
  }

  /** False where the engine is on another machine. */
  async isFast(): Promise<boolean> {
    const [before, now] = [this.#before, await this.#read()]
    if (!before || !now) return false
    return before.bytes - now.bytes > this.#maxBytes || before.inodes - now.inodes > MAX_NEW_INODES
  }

  async #read(): Promise<Free | null> {
    try {
      this.#folder ??= (await this.#runtime.machine()).dataRoot
      const { bavail, bsize, ffree } = await statfs(this.#folder ?? '')
      return { bytes: bavail * bsize, inodes: ffree }
    } catch {
      return null
    }
  }
}
