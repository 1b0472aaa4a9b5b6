import type { ContainerStats } from 'dockerode'
import { type ReplicaStats, RuntimeError } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { getReplica } from './find-containers.ts'

interface Sample {
  takenAtMs: number
  cpuNanoseconds: number
}

interface Measure {
  before: Sample
  stats: ContainerStats
}

/**
 * The kernel enforces a processor limit by periods of 100 ms, at the start of which a container may use all of its share:
 * a window of a few of them, or of less than one, measures anything from nothing to whole cores. A longer one is no longer
 * "now".
 */
const MIN_WINDOW_MS = 500
const MAX_WINDOW_MS = 60_000
const NANOSECONDS_PER_MS = 1e6
const BYTES_PER_MB = 1024 * 1024

/**
 * CPU use is the difference of two samples. The first comes from the previous call if possible; otherwise the engine
 * takes both, a second apart.
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
    const { before, stats } = (await this.#sinceLast(Id, signal)) ?? (await this.#wholeWindow(Id, signal))
    const now = sampleOf(stats)
    if (!hasRun(now)) return { cpuMillicores: 0, memoryMb: 0 }
    this.#remember(Id, now)
    if (!isWindow(before, now)) {
      throw new RuntimeError(
        'NOT_RUNNING',
        `The container ${name} started again while it was measured, or was measured too briefly`,
      )
    }
    return { cpuMillicores: millicoresBetween(before, now), memoryMb: memoryOf(stats) }
  }

  /** Null when the previous call was too long ago, or so short that the two say nothing. */
  async #sinceLast(id: string, signal: AbortSignal): Promise<Measure | null> {
    const before = this.#last.get(id)
    if (!before) return null
    const stats = await this.#take(id, { 'one-shot': true }, signal)
    return isWindow(before, sampleOf(stats)) ? { before, stats } : null
  }

  /** Without `one-shot` an engine waits for its second sample, and answers with both. */
  async #wholeWindow(id: string, signal: AbortSignal): Promise<Measure> {
    const stats = await this.#take(id, {}, signal)
    return { before: earlierSampleOf(stats), stats }
  }

  #take(id: string, how: { 'one-shot'?: boolean }, signal: AbortSignal): Promise<ContainerStats> {
    const options = { stream: false, ...how, abortSignal: signal } as const
    return this.#engine.docker.getContainer(id).stats(options)
  }

  #remember(id: string, sample: Sample): void {
    this.#last.set(id, sample)
    for (const [other, { takenAtMs }] of this.#last) {
      if (sample.takenAtMs - takenAtMs > MAX_WINDOW_MS) this.#last.delete(other)
    }
  }
}

const sampleOf = ({ read, cpu_stats }: ContainerStats): Sample => ({
  takenAtMs: Date.parse(read),
  cpuNanoseconds: cpu_stats.cpu_usage.total_usage,
})

const earlierSampleOf = ({ preread, precpu_stats }: ContainerStats): Sample => ({
  takenAtMs: Date.parse(preread),
  cpuNanoseconds: precpu_stats.cpu_usage.total_usage,
})

/** Of a container that has ended meanwhile, engines answer with zeros, at the year 1. */
const hasRun = ({ takenAtMs }: Sample): boolean => takenAtMs > 0

/** A restarted container counts from zero again, so its earlier sample is useless. */
function isWindow(before: Sample, now: Sample): boolean {
  const length = now.takenAtMs - before.takenAtMs
  return length >= MIN_WINDOW_MS && length <= MAX_WINDOW_MS && now.cpuNanoseconds >= before.cpuNanoseconds
}

/** A millicore is a thousandth of a core: one microsecond of CPU time per millisecond. */
function millicoresBetween(before: Sample, now: Sample): number {
  const busyMs = (now.cpuNanoseconds - before.cpuNanoseconds) / NANOSECONDS_PER_MS
  return Math.round((busyMs / (now.takenAtMs - before.takenAtMs)) * 1000)
}

/**
 * Without the file cache that the kernel can reclaim, as `docker stats` counts. cgroup v1 has `total_inactive_file`, with
 * what cgroups below use; v2 counts them in everything, and has `inactive_file`.
 */
function memoryOf({ memory_stats }: ContainerStats): number {
  const detail: Partial<Record<string, number>> = { ...memory_stats.stats }
  const cache = detail.total_inactive_file ?? detail.inactive_file ?? 0
  return Math.max(0, Math.round(((memory_stats.usage ?? 0) - cache) / BYTES_PER_MB))
}
