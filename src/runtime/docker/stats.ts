import type { ContainerStats } from 'dockerode'
import type { DockerEngine } from '../../engine/docker/connection.ts'
import type { ReplicaStats } from '../container-runtime.ts'
import { getReplica } from './find-containers.ts'

interface Sample {
  takenAtMs: number
  cpuNanoseconds: number
}

/** A shorter interval says little; a longer one is no longer "now". */
const SHORTEST_WINDOW_MS = 200
const LONGEST_WINDOW_MS = 60_000
const NANOSECONDS_PER_MS = 1e6
const BYTES_PER_MB = 1024 * 1024

/**
 * CPU use is the difference of two samples. The first comes from the previous call if possible, because an engine takes
 * up to a second for each.
 */
export class ReplicaSamples {
  readonly #engine: DockerEngine
  readonly #last = new Map<string, Sample>()

  constructor(engine: DockerEngine) {
    this.#engine = engine
  }

  async stats(name: string, signal: AbortSignal): Promise<ReplicaStats> {
    const { Id, State } = await getReplica(this.#engine, name, signal)
    if (!State.Running) return { cpuMillicores: 0, memoryMb: 0 }
    let stats = await this.#take(Id, signal)
    let before = this.#last.get(Id)
    if (!before || !isWindow(before, sampleOf(stats))) {
      before = sampleOf(stats)
      stats = await this.#take(Id, signal)
    }
    this.#remember(Id, sampleOf(stats))
    return { cpuMillicores: millicoresBetween(before, sampleOf(stats)), memoryMb: memoryOf(stats) }
  }

  /** `one-shot` avoids the engine's own wait for a second sample; engines that ignore it are only slower. */
  #take(id: string, signal: AbortSignal): Promise<ContainerStats> {
    const options = { stream: false, 'one-shot': true, abortSignal: signal } as const
    return this.#engine.docker.getContainer(id).stats(options)
  }

  #remember(id: string, sample: Sample): void {
    this.#last.set(id, sample)
    for (const [other, { takenAtMs }] of this.#last) {
      if (sample.takenAtMs - takenAtMs > LONGEST_WINDOW_MS) this.#last.delete(other)
    }
  }
}

const sampleOf = ({ read, cpu_stats }: ContainerStats): Sample => ({
  takenAtMs: Date.parse(read),
  cpuNanoseconds: cpu_stats.cpu_usage.total_usage,
})

/** A restarted container counts from zero again, so its earlier sample is useless. */
function isWindow(before: Sample, now: Sample): boolean {
  const length = now.takenAtMs - before.takenAtMs
  return length >= SHORTEST_WINDOW_MS && length <= LONGEST_WINDOW_MS && now.cpuNanoseconds >= before.cpuNanoseconds
}

/** A millicore is a thousandth of a core: one microsecond of CPU time per millisecond. */
function millicoresBetween(before: Sample, now: Sample): number {
  const elapsedMs = now.takenAtMs - before.takenAtMs
  if (elapsedMs <= 0) return 0
  const busyMs = (now.cpuNanoseconds - before.cpuNanoseconds) / NANOSECONDS_PER_MS
  return Math.max(0, Math.round((busyMs / elapsedMs) * 1000))
}

/**
 * Without the file cache that the kernel can reclaim, as `docker stats` counts; its name depends on the cgroup version.
 */
function memoryOf({ memory_stats }: ContainerStats): number {
  const detail: Partial<Record<string, number>> = { ...memory_stats.stats }
  const cache = detail.total_inactive_file ?? detail.inactive_file ?? 0
  return Math.round(((memory_stats.usage ?? 0) - cache) / BYTES_PER_MB)
}
