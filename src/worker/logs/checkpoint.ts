import type { LogLine } from '../../engines/runtime/container-runtime.ts'

/**
 * The last collected line of an output stream: its nanosecond, and how many lines of that nanosecond were collected.
 */
export interface StreamPosition {
  at: bigint
  count: number
}

/**
 * How far a container's output was collected. Engines keep order only within stdout and within stderr, so each has its
 * own position.
 */
export type Checkpoint = Record<LogLine['stream'], StreamPosition>

/**
 * One pass over a container's output, from the checkpoint on. The engine starts at the nanosecond asked for, so lines
 * of it that were collected already are skipped. Moves the checkpoint along.
 */
export class Reading {
  /** What to ask the engine for: the earlier of the two positions. */
  readonly since: bigint | undefined
  readonly #checkpoint: Checkpoint
  readonly #known: Record<LogLine['stream'], StreamPosition>

  constructor(checkpoint: Checkpoint) {
    this.#checkpoint = checkpoint
    this.#known = { stdout: { ...checkpoint.stdout }, stderr: { ...checkpoint.stderr } }
    const [since] = positionsInOrder(checkpoint)
    this.since = since === 0n ? undefined : since
  }

  isNew({ stream, nanoseconds }: LogLine): boolean {
    const known = this.#known[stream]
    if (nanoseconds < known.at) return false
    if (nanoseconds === known.at && known.count > 0) {
      known.count -= 1
      return false
    }
    this.#advance(this.#checkpoint[stream], nanoseconds)
    return true
  }

  /** When a clock was set back the checkpoint must not go back, or the lines between would be read twice. */
  #advance(position: StreamPosition, nanoseconds: bigint): void {
    if (nanoseconds === position.at) position.count += 1
    if (nanoseconds <= position.at) return
    position.at = nanoseconds
    position.count = 1
  }
}

/** The nanoseconds of both positions, the earlier one first. */
export const positionsInOrder = ({ stdout, stderr }: Checkpoint): [bigint, bigint] =>
  stdout.at < stderr.at ? [stdout.at, stderr.at] : [stderr.at, stdout.at]
