import type { Logger } from 'pino'
import { failedPart } from '../../storage/database/away.ts'
import { isAway } from '../engine/is-away.ts'
import { sleep } from '../time/sleep.ts'

/** Work that a worker does again and again. Any number of workers may do it at once. */
export interface PeriodicTask {
  /** In `/readyz`, metrics and logs, such as `backups`. */
  name: string
  /** Between the end of a run and the next one. */
  everySeconds: number
  /** Before the first run. Default: `everySeconds`. */
  firstAfterSeconds?: number
  /** What one run may take. Default: 600. */
  timeoutSeconds?: number
  /** Runs begin `everySeconds` after each other, without jitter: what is measured is compared. */
  isPunctual?: boolean
  /** A run that takes long takes at most a tenth of the time. */
  isCostly?: boolean
  /** The signal fires when the worker stops, and when the run takes too long. True: more is due at once. */
  run: (signal: AbortSignal) => Promise<unknown>
  /** Looked at every two seconds: whether the next run cannot wait. Never rejects. */
  isUrgent?: () => Promise<boolean>
}

/** What has become of a task, for operators. */
export interface TaskState {
  name: string
  /** Null before the first one has ended. */
  lastEndedAt: Date | null
  /**
   * Of the last run; null when it succeeded. What waits for an engine or a database that is away has not failed: they are
   * parts of their own.
   */
  error: string | null
  /** Runs in a row that failed. */
  failures: number
  /** Whether a run goes on that should have ended. */
  isOverdue: boolean
}

const TIMEOUT_SECONDS = 600
/** Of a task that is costly. */
const PAUSE_PER_DURATION = 9
const LOOK_MS = 2_000
/** Workers that start together must not work in step. */
const jittered = (ms: number): number => ms * (0.8 + Math.random() * 0.4)

/**
 * Runs each task on a clock of its own: one that fails is run again, and one that fails or hangs holds up no other. Of
 * one task there is never a second run beside the first.
 */
export class PeriodicTasks {
  readonly #loops: ReadonlyMap<string, TaskLoop>

  constructor(tasks: readonly PeriodicTask[], log: Logger) {
    this.#loops = new Map(tasks.map((task) => [task.name, new TaskLoop(task, log)]))
    if (this.#loops.size < tasks.length) throw new Error('Two periodic tasks have one name')
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.repeat(signal)))
  }

  /** Has a task run now, or once more when its run has ended. */
  wake(name: string): void {
    this.#loops.get(name)?.wake()
  }

  get states(): TaskState[] {
    return [...this.#loops.values()].map(({ state }) => state)
  }
}

class TaskLoop {
  readonly #task: PeriodicTask
  readonly #log: Logger
  readonly #timeoutMs: number
  #lastEndedAt: Date | null = null
  #error: string | null = null
  #failures = 0
  /** By performance.now(). */
  #runningSince: number | null = null
  #awakened = Promise.withResolvers<void>()

  constructor(task: PeriodicTask, log: Logger) {
    this.#task = task
    this.#log = log
    this.#timeoutMs = (task.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000
  }

  get state(): TaskState {
    const runsForMs = this.#runningSince === null ? 0 : performance.now() - this.#runningSince
    return {
      name: this.#task.name,
      lastEndedAt: this.#lastEndedAt,
      error: this.#error,
      failures: this.#failures,
      isOverdue: runsForMs > this.#timeoutMs,
    }
  }

  wake(): void {
    this.#awakened.resolve()
  }

  async repeat(signal: AbortSignal): Promise<void> {
    const { everySeconds, firstAfterSeconds = everySeconds, isPunctual } = this.#task
    let due = performance.now() + pauseOf(this.#task, firstAfterSeconds * 1000)
    while (!signal.aborted) {
      await this.#rest(due, signal)
      if (signal.aborted) return
      this.#awakened = Promise.withResolvers()
      const since = performance.now()
      const isMoreDue = await this.#runOnce(signal)
      const now = performance.now()
      if (isMoreDue) due = now
      else if (isPunctual) due = Math.max(due + everySeconds * 1000, now)
      else due = now + pauseOf(this.#task, everySeconds * 1000, now - since)
    }
  }

  /** Until the time, until it is woken, or until it is urgent. */
  async #rest(due: number, signal: AbortSignal): Promise<void> {
    const { isUrgent } = this.#task
    const leftMs = () => Math.max(0, due - performance.now())
    if (!isUrgent) return sleep(leftMs(), signal, this.#awakened.promise)
    while (leftMs() > 0 && !signal.aborted) {
      await sleep(Math.min(LOOK_MS, leftMs()), signal)
      if (!signal.aborted && (await isUrgent())) return
    }
  }

  /** Whether more is due at once. */
  async #runOnce(stopping: AbortSignal): Promise<boolean> {
    const { name, run, timeoutSeconds = TIMEOUT_SECONDS } = this.#task
    const late = new AbortController()
    const timer = setTimeout(() => {
      this.#log.warn({ task: name }, `A periodic task did not end within ${timeoutSeconds} s, and is to end now`)
      late.abort(new Error(`did not end within ${timeoutSeconds} s`))
    }, this.#timeoutMs).unref()
    this.#runningSince = performance.now()
    try {
      const isMoreDue = await run(AbortSignal.any([stopping, late.signal]))
      // It may have returned because it was to end.
      late.signal.throwIfAborted()
      if (this.#error !== null) this.#log.info({ task: name }, 'A periodic task succeeds again')
      this.#error = null
      this.#failures = 0
      return isMoreDue === true
    } catch (error) {
      if (!stopping.aborted && !isAway(error)) this.#failed(error)
      return false
    } finally {
      clearTimeout(timer)
      this.#runningSince = null
      this.#lastEndedAt = new Date()
    }
  }

  /** What fails for the same reason again and again is logged once. */
  #failed(error: unknown): void {
    const message = failedPart(error).reason ?? ''
    const level = message === this.#error ? 'debug' : 'warn'
    this.#log[level]({ err: error, task: this.#task.name }, 'A periodic task failed; it is run again')
    this.#error = message
    this.#failures += 1
  }
}

function pauseOf({ isCostly, isPunctual }: PeriodicTask, ms: number, tookMs = 0): number {
  if (isPunctual) return ms
  return jittered(isCostly ? Math.max(ms, tookMs * PAUSE_PER_DURATION) : ms)
}
