import type { ContainerStats } from 'dockerode'
import type { DockerEngine } from '../../../engine/docker/connection.ts'
import { jsonLines } from '../json-lines.ts'
import { heldBytes } from './build-scripts.ts'

/** Of the limit: what no file of the cache can make room for any more. */
const FULL = 0.97
/** One sample may be of a moment that passes. */
const SAMPLES_FULL = 2

/**
 * The memory that a builder uses while it builds, as the engine measures it once a second. A program that needs all of it
 * makes the kernel read the same files again and again long before it kills, and nothing else goes on there meanwhile:
 * so the end comes from outside.
 */
export class MemoryWatch {
  /** 0 for a build of less than a second, of which the builder itself says what it used. */
  peakBytes = 0
  readonly #limitBytes: number
  readonly #stopped = new AbortController()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Until it is stopped. Calls `onFull` once. An engine that does not answer is not this build's failure. */
  async run(engine: DockerEngine, builder: string, onFull: () => void): Promise<void> {
    const { signal } = this.#stopped
    let full = 0
    try {
      const following = { stream: true, abortSignal: signal } as { stream: true }
      const stream = await engine.docker.getContainer(builder).stats(following)
      for await (const sample of jsonLines<ContainerStats>(stream)) {
        if (signal.aborted) return
        const held = heldBytes(sample.memory_stats.usage ?? 0, { ...sample.memory_stats.stats })
        this.peakBytes = Math.max(this.peakBytes, held)
        full = held >= this.#limitBytes * FULL ? full + 1 : 0
        if (full >= SAMPLES_FULL) return onFull()
      }
    } catch {
      // It goes without its figures.
    }
  }

  stop(): void {
    this.#stopped.abort()
  }
}
