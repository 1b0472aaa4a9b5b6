import { type LogFormat, levelOf, SecretFilter } from '../../app-types/engines/engine-logs.ts'
import type { LogLevel } from '../../domain/log-level.ts'
import { structuredLevel } from '../../domain/structured-line.ts'
import type { LogLine } from '../../engines/runtime/container-runtime.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'
import { type Checkpoint, positionsInOrder } from './checkpoint.ts'
import type { LogStreamLine, Progress } from './log-stream.ts'
import { type CapState, droppedNotice, RateCap } from './rate-cap.ts'

const MINUTE_MS = 60_000

/** One container's output: how far it was read, and how much of it is kept. */
export class ContainerOutput implements Progress {
  readonly id: number
  readonly containerId: string
  readonly checkpoint: Checkpoint
  readonly cap: CapState
  /** Start of the run whose output was read to its end. */
  endedRun: number | null = null
  /** Nothing was read of it yet, here or by others. */
  isSilent: boolean
  readonly #linesPerMinute: number
  readonly #rateCap: RateCap
  /** Time of the latest line, kept or dropped. */
  #latest: bigint
  /** When the latest line was read, by performance.now(). */
  #readAt = performance.now()

  readonly #format: LogFormat | null
  readonly #filters: Record<LogLine['stream'], SecretFilter> | null

  /** With the format of an engine's log, secrets in its lines are hidden. */
  constructor(row: Container, linesPerMinute: number, format?: LogFormat) {
    this.#format = format ?? null
    this.#filters = format ? { stdout: new SecretFilter(format), stderr: new SecretFilter(format) } : null
    this.id = row.id
    this.containerId = row.containerId
    this.checkpoint = {
      stdout: { at: row.stdoutAt, count: row.stdoutCount },
      stderr: { at: row.stderrAt, count: row.stderrCount },
    }
    this.cap = { minute: row.capMinute, used: row.capUsed, dropped: row.dropped }
    this.#latest = positionsInOrder(this.checkpoint)[1]
    this.isSilent = this.#latest === 0n
    this.#linesPerMinute = linesPerMinute
    this.#rateCap = new RateCap(linesPerMinute, this.cap)
  }

  /**
   * What a line adds to the log: usually itself; nothing over the cap; a notice of dropped lines once the cap allows
   * lines again.
   */
  take(line: LogLine, keep: (line: LogStreamLine) => void): void {
    const { nanoseconds, stream, isPartial } = line
    const message = this.#filters ? this.#filters[stream].hide(line.message) : line.message
    const isKept = this.#rateCap.admits(nanoseconds, message.length, (dropped) => keep(this.#notice(dropped)))
    if (nanoseconds > this.#latest) this.#latest = nanoseconds
    this.#readAt = performance.now()
    this.isSilent = false
    if (isKept)
      keep({
        containerId: this.id,
        at: nanoseconds,
        isError: stream === 'stderr',
        message: storable(message),
        // A piece of a line cannot be read.
        level: isPartial ? null : this.#levelOf(message),
        isPartial,
      })
  }

  #levelOf(message: string): LogLevel | null {
    return this.#format ? levelOf(this.#format, message) : structuredLevel(message)
  }

  /** Lines were dropped, and none came for a minute: the next one may take long, so the notice must not wait for it. */
  owesNotice(now: number): boolean {
    return this.cap.dropped > 0 && now - this.#readAt >= MINUTE_MS
  }

  /** The output has ended for now. */
  conclude(keep: (line: LogStreamLine) => void): void {
    this.#rateCap.report((dropped) => keep(this.#notice(dropped)))
  }

  /** A notice in place of the last of the dropped lines. */
  #notice(dropped: number): LogStreamLine {
    return {
      containerId: this.id,
      at: this.#latest,
      isError: true,
      isNotice: true,
      message: droppedNotice(dropped, this.#linesPerMinute),
    }
  }
}

/** PostgreSQL texts cannot hold a NUL. */
const storable = (message: string): string => (message.includes('\0') ? message.replaceAll('\0', '\uFFFD') : message)
