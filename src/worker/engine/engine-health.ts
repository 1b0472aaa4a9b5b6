import type { Logger } from 'pino'
import { DomainError, runtimeUnavailable } from '../../domain/errors.ts'
import { type ContainerRuntime, EngineUnsupported, type RuntimeInfo } from '../../engines/runtime/container-runtime.ts'
import { sleep } from '../time/sleep.ts'
import type { EngineOwnership } from './engine-ownership.ts'

const CHECK_SECONDS = 5
const CHECK_WHILE_AWAY_SECONDS = 1
const ANSWER_SECONDS = 5
const FIRST_CHECK_SECONDS = 15

/** One missed answer may be a busy machine. After this many, running calls will not be answered either. */
const UNANSWERED_UNTIL_GONE = 2

/** Why the engine is not used. */
export type EngineFault = 'ENGINE_UNREACHABLE' | 'ENGINE_UNSUPPORTED' | 'ENGINE_TAKEN'

export const isEngineAway = (error: unknown): boolean =>
  error instanceof DomainError && error.code === 'RUNTIME_UNAVAILABLE'

/**
 * Whether the engine answers, and is this installation's to work on. A few small calls every few seconds find out, so
 * that during an outage not every environment in turn has to run into a timeout.
 */
export class EngineHealth {
  /** Null before the first check. */
  reachable: boolean | null = null
  reason: string | null = null
  /** Null while it is used, and before the first check. */
  fault: EngineFault | null = null
  info: RuntimeInfo | null = null
  readonly #runtime: ContainerRuntime
  readonly #log: Logger
  /** Null where no other installation can use the engine. */
  readonly #ownership: Pick<EngineOwnership, 'check'> | null
  /** Called after every check; `changed` when the engine became reachable or unreachable. */
  readonly #onCheck: (changed: boolean) => Promise<void>
  #gone = new AbortController()
  #unanswered = 0
  readonly #firstCheck = Promise.withResolvers<void>()
  #checkNow = Promise.withResolvers<void>()

  constructor(
    runtime: ContainerRuntime,
    log: Logger,
    onCheck: (changed: boolean) => Promise<void>,
    ownership: Pick<EngineOwnership, 'check'> | null = null,
  ) {
    this.#ownership = ownership
    this.#runtime = runtime
    this.#log = log
    this.#onCheck = onCheck
  }

  /** Fires, with RUNTIME_UNAVAILABLE, when waiting for an answer is useless. Replaced after an outage. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /**
   * Throws RUNTIME_UNAVAILABLE, without a call, when the last check failed, or the owner of the engine is not known
   * yet.
   */
  assertReachable(): void {
    const isUsable = this.reachable ?? this.#ownership === null
    if (!isUsable) throw runtimeUnavailable(this.reason ?? 'The container engine has not answered yet')
  }

  /** Like assertReachable, but waits for the first check. */
  async requireReachable(signal: AbortSignal): Promise<void> {
    if (this.reachable === null) await sleep(FIRST_CHECK_SECONDS * 1000, signal, this.#firstCheck.promise)
    signal.throwIfAborted()
    this.assertReachable()
  }

  /** Like assertReachable, but waits until the owner of the engine is known. */
  async requireOurs(signal: AbortSignal): Promise<void> {
    if (this.reachable === null && this.#ownership) await this.requireReachable(signal)
    else this.assertReachable()
  }

  /** A call was not answered: the engine may be down, so check now. */
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
        this.#log.warn({ err: error }, 'Recording the state of the container engine failed'),
      )
      await this.#rest(signal)
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    this.#checkNow = Promise.withResolvers()
    try {
      this.info = await this.#runtime.info({ signal, timeoutSeconds: ANSWER_SECONDS })
      const refusal = (await this.#ownership?.check(signal, ANSWER_SECONDS)) ?? null
      if (refusal !== null) return this.#recordRefusal('ENGINE_TAKEN', refusal)
      if (this.reachable !== true) this.#log.info({ engine: this.info }, 'The container engine answers')
      this.reachable = true
      this.fault = null
      this.reason = null
      this.#unanswered = 0
      if (this.#gone.signal.aborted) this.#gone = new AbortController()
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof EngineUnsupported) return this.#recordRefusal('ENGINE_UNSUPPORTED', error.message)
      this.#recordNoAnswer(error instanceof Error ? error.message : String(error))
    }
  }

  /** It answers, and is not for us: what is under way there ends at once. */
  #recordRefusal(fault: EngineFault, reason: string): void {
    if (this.reason !== reason) this.#log.warn({ reason }, 'The container engine is not used; operations wait for it')
    this.reachable = false
    this.fault = fault
    this.reason = reason
    if (!this.#gone.signal.aborted) this.#gone.abort(runtimeUnavailable(reason))
  }

  #recordNoAnswer(reason: string): void {
    if (this.fault !== 'ENGINE_UNREACHABLE') {
      this.#log.warn({ reason }, 'The container engine does not answer; operations wait for it')
    }
    this.fault = 'ENGINE_UNREACHABLE'
    this.reachable = false
    this.reason = reason
    this.#unanswered += 1
    if (this.#unanswered === UNANSWERED_UNTIL_GONE) this.#gone.abort(runtimeUnavailable(reason))
  }

  async #rest(signal: AbortSignal): Promise<void> {
    const seconds = this.reachable ? CHECK_SECONDS : CHECK_WHILE_AWAY_SECONDS
    // An engine that is down is checked once a second at most, however often calls ask for it.
    await sleep(seconds * 1000, signal, this.reachable ? this.#checkNow.promise : undefined)
  }
}
