import type { ContainerStats } from 'dockerode'
import { type ImageBuild, ImageError } from '../../../images/image-builder.ts'
import type { DockerEngine } from '../../connection.ts'
import { jsonLines } from '../json-lines.ts'
import { heldBytes } from './build-scripts.ts'

const BYTES_PER_MB = 1024 * 1024

/** What ends a build once it has used it up. The disk is measured in the builder itself: see `BUILD`. */
type WatchedLimit = 'memoryMb' | 'processes'

/** Of the limit: what no file of the cache can make room for any more, and what leaves no step room to begin a program. */
const FULL: Record<WatchedLimit, number> = { memoryMb: 0.97, processes: 0.99 }
/** In a row, one a second: fewer may be of a moment that passes. */
const SAMPLES_FULL: Record<WatchedLimit, number> = { memoryMb: 2, processes: 3 }

type Limited = Pick<ImageBuild, 'resources' | 'processes'>

/**
 * What a builder uses while it builds, as the engine measures it once a second. A program that needs all of its memory makes
 * the kernel read the same files again and again long before it kills, and one that holds all processes lets no other begin:
 * nothing else goes on there meanwhile, so the end comes from outside.
 */
export class LimitsWatch {
  /** 0 for a build of less than a second, of which the builder itself says what it used. */
  memoryPeakBytes = 0
  /** What the build has used up. */
  exceeded: WatchedLimit | null = null
  readonly #limits: Record<WatchedLimit, number>
  readonly #full: Record<WatchedLimit, number> = { memoryMb: 0, processes: 0 }
  readonly #stopped = new AbortController()

  constructor({ resources, processes }: Limited) {
    this.#limits = { memoryMb: resources.memoryMb * BYTES_PER_MB, processes }
  }

  /** Until it is stopped. Calls `onExceeded` once. An engine that does not answer is not this build's failure. */
  async run(engine: DockerEngine, builder: string, onExceeded: () => void): Promise<void> {
    const { signal } = this.#stopped
    try {
      const following = { stream: true, abortSignal: signal } as { stream: true }
      const stream = await engine.docker.getContainer(builder).stats(following)
      for await (const { memory_stats, pids_stats } of jsonLines<ContainerStats>(stream)) {
        if (signal.aborted) return
        const held = heldBytes(memory_stats.usage ?? 0, { ...memory_stats.stats })
        this.memoryPeakBytes = Math.max(this.memoryPeakBytes, held)
        const isOver = this.#isOver('memoryMb', held) || this.#isOver('processes', pids_stats?.current ?? 0)
        if (isOver) return onExceeded()
      }
    } catch {
      // It goes without its figures.
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  #isOver(limit: WatchedLimit, used: number): boolean {
    this.#full[limit] = used >= this.#limits[limit] * FULL[limit] ? this.#full[limit] + 1 : 0
    if (this.#full[limit] < SAMPLES_FULL[limit]) return false
    this.exceeded = limit
    return true
  }
}

/** Why a build came to nothing that ran into one of its limits. */
export function usedUp(limit: WatchedLimit, reason: string, { resources, processes }: Limited): ImageError {
  const words = {
    memoryMb: `out of memory: a build may use ${resources.memoryMb} MB`,
    processes: `out of processes: a build may have ${processes} at a time, threads included`,
  }
  return new ImageError('BUILD_FAILED', `${reason} ${words[limit]}`, { limit })
}
