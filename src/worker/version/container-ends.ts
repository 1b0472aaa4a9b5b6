import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'

/** Describes how a container ended: `exited with code 137 (out of memory)`. */
export function exitOf({ phase, exitCode, outOfMemory }: ObservedReplica): string {
  if (phase === 'created') return 'never started'
  if (phase === 'paused') return 'paused'
  const code = exitCode === null ? '' : ` with code ${exitCode}`
  return `exited${code}${outOfMemory ? ' (out of memory)' : ''}`
}

/** A container of a new version that has ended this often before it was ready will not become ready. */
const MAX_ENDS = 3

interface End {
  /** As observed then, or later where it was not observed at once. */
  replica: ObservedReplica
  /** `exited with code 3, 3 times in a row`. */
  words: string
  /** It keeps ending: waiting longer would not help. */
  isHopeless: boolean
}

/** How often containers ended while they were waited for. A restart loses how, so that is kept. */
export class ContainerEnds {
  readonly #max: number
  readonly #last = new Map<string, ObservedReplica>()
  /** Ends of containers that the engine did not restart by itself, as `<container> <time of the end>`. */
  readonly #times = new Set<string>()

  constructor(max = MAX_ENDS) {
    this.#max = max
  }

  /** The newest end that was observed. */
  get newest(): ObservedReplica | null {
    return [...this.#last.values()].at(-1) ?? null
  }

  /** Null: the container has not ended. */
  add(replica: ObservedReplica): End | null {
    const { containerId, phase, restartCount, exitCode } = replica
    // A container that the engine restarted has ended, even if that was not observed.
    const hasEnded = exitCode !== null || (restartCount > 0 && !this.#last.has(containerId))
    if (hasEnded) this.#last.set(containerId, replica)
    const last = this.#last.get(containerId)
    if (!last) return null
    if (phase === 'exited') this.#times.add(`${containerId} ${replica.finishedAt?.getTime()}`)
    const times = [...this.#times].filter((end) => end.startsWith(containerId)).length + restartCount
    // A running container does not say how it ended before. The pauses between restarts grow, so the next one shows it.
    const isHopeless = times >= (last.exitCode === null ? 2 * this.#max : this.#max)
    return { replica: last, words: `${exitOf(last)}${times > 1 ? `, ${times} times in a row` : ''}`, isHopeless }
  }
}
