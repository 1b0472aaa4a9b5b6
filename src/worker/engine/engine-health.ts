import type { Logger } from 'pino'
import { DomainError, runtimeUnavailable } from '../../domain/errors.ts'
import type { Runtime, RuntimeInfo } from '../../runtime/runtime.ts'
import { sleep } from '../time/sleep.ts'

const CHECK_SECONDS = 5
const CHECK_WHILE_AWAY_SECONDS = 1
const ANSWER_SECONDS = 5

/** One missed answer may be a busy machine; after this many, calls that are under way will not be answered either. */
const UNANSWERED_UNTIL_GONE = 2

export const isEngineAway = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'RUNTIME_UNAVAILABLE'

/**
 * What this worker knows of the engine: one small call every few seconds finds out whether it answers, so that no
 * work has to run into its deadline, one environment after the other, while it does not.
 */
export class EngineHealth {
  /** Null until it was asked for the first time. */
  reachable: boolean | null = null
  reason: string | null = null
  info: RuntimeInfo | null = null
  readonly #runtime: Runtime
  readonly #log: Logger
  /** Called whenever the engine was asked; `changed` when the answer is another than before. */
  readonly #onCheck: (changed: boolean) => Promise<void>
  #gone = new AbortController()
  #unanswered = 0
  readonly #firstCheck = Promise.withResolvers<void>()
  #checkNow = Promise.withResolvers<void>()

  constructor(runtime: Runtime, log: Logger, onCheck: (changed: boolean) => Promise<void>) {
    this.#runtime = runtime
    this.#log = log
    this.#onCheck = onCheck
  }

  /** Fires, with RUNTIME_UNAVAILABLE, when waiting for an answer has become useless; another one follows an outage. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Throws RUNTIME_UNAVAILABLE without asking when the engine is known not to answer. */
  assertReachable(): void {
    if (this.reachable === false) throw runtimeUnavailable(this.reason ?? 'The container engine does not answer')
  }

  /** The same, once it is known. */
  async requireReachable(signal: AbortSignal): Promise<void> {
    if (this.reachable === null) await sleep(2 * ANSWER_SECONDS * 1000, signal, this.#firstCheck.promise)
    signal.throwIfAborted()
    this.assertReachable()
  }

  /** A call went unanswered: perhaps the engine is gone. */
  checkSoon(): void {
    this.#checkNow.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const before = this.reachable
      await this.#check(signal)
      this.#firstCheck.resolve()
      if (signal.aborted) return
      await this.#onCheck(before !== this.reachable).catch((error: unknown) =>
        this.#log.warn({ err: error }, 'The state of the engine could not be recorded'),
      )
      await this.#rest(signal)
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    this.#checkNow = Promise.withResolvers()
    try {
      this.info = await this.#runtime.info({ signal, timeoutSeconds: ANSWER_SECONDS })
      if (this.reachable !== true) this.#log.info({ engine: this.info }, 'The container engine answers')
      this.reachable = true
      this.reason = null
      this.#unanswered = 0
      if (this.#gone.signal.aborted) this.#gone = new AbortController()
    } catch (error) {
      if (!signal.aborted) this.#recordNoAnswer(error instanceof Error ? error.message : String(error))
    }
  }

  #recordNoAnswer(reason: string): void {
    if (this.reachable !== false) {
      this.#log.warn({ reason }, 'The container engine does not answer; operations wait for it')
    }
    this.reachable = false
    this.reason = reason
    this.#unanswered += 1
    if (this.#unanswered === UNANSWERED_UNTIL_GONE) this.#gone.abort(runtimeUnavailable(reason))
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const seconds = this.reachable ? CHECK_SECONDS : CHECK_WHILE_AWAY_SECONDS
    // However often it is doubted, an engine that is away is not asked more than once a second.
    await sleep(seconds * 1000, signal, this.reachable ? this.#checkNow.promise : undefined)
  }
}
