import type { ContainerStats } from 'dockerode'
import type { DockerEngine } from '../../../engine/docker/connection.ts'
import { jsonLines } from '../json-lines.ts'

/** Of the limit: what no file of the cache can make room for any more. */
const FULL = 0.97
/** One sample may be of a moment that passes. */
const SAMPLES_FULL = 2
const NANOSECONDS = 1e9

/**
 * What a builder uses while it builds, as the engine measures it once a second. A program that needs all the memory
 * makes the kernel read the same files again and again long before it kills, and nothing else goes on there meanwhile:
 * so the end comes from outside.
 */
export class MemoryWatch {
  peakBytes = 0
  /** Whether it has had no memory left for seconds. */
  isFull = false
  #firstCpu: number | null = null
  #lastCpu = 0
  readonly #limitBytes: number
  readonly #stopped = new AbortController()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get cpuSeconds(): number {
    return (this.#lastCpu - (this.#firstCpu ?? this.#lastCpu)) / NANOSECONDS
  }

  /** Until it is stopped. Calls `onFull` once. An engine that does not answer is not this build's failure. */
  async run(engine: DockerEngine, builder: string, onFull: () => void): Promise<void> {
    const { signal } = this.#stopped
    await this.#measure(engine, builder, signal)
    let full = 0
    try {
      const following = { stream: true, abortSignal: signal } as { stream: true }
      const stream = await engine.docker.getContainer(builder).stats(following)
      for await (const sample of jsonLines<ContainerStats>(stream)) {
        if (signal.aborted) return
        this.#add(sample)
        full = heldBytes(sample) >= this.#limitBytes * FULL ? full + 1 : 0
        if (full < SAMPLES_FULL) continue
        this.isFull = true
        return onFull()
      }
    } catch {
      // It goes without its figures.
    }
  }

  /** With a last measure, since a short build may have had none. */
  async stop(engine: DockerEngine, builder: string, signal: AbortSignal): Promise<void> {
    this.#stopped.abort()
    await this.#measure(engine, builder, signal)
  }

  async #measure(engine: DockerEngine, builder: string, signal: AbortSignal): Promise<void> {
    const now = { stream: false, 'one-shot': true, abortSignal: signal } as const
    const sample = await engine.docker
      .getContainer(builder)
      .stats(now)
      .catch(() => null)
    if (sample) this.#add(sample)
  }

  #add(sample: ContainerStats): void {
    const cpu = sample.cpu_stats.cpu_usage.total_usage
    this.#firstCpu ??= cpu
    this.#lastCpu = Math.max(this.#lastCpu, cpu)
    this.peakBytes = Math.max(this.peakBytes, heldBytes(sample))
  }
}

/** What the kernel cannot get back by dropping files of its cache. Both versions of control groups know these words. */
function heldBytes({ memory_stats: { usage = 0, stats } }: ContainerStats): number {
  const known: Partial<Record<string, number>> = { ...stats }
  const files = (list: 'active_file' | 'inactive_file') => known[`total_${list}`] ?? known[list] ?? 0
  return Math.max(0, usage - files('active_file') - files('inactive_file') - (known.slab_reclaimable ?? 0))
}
