import type { DatabaseClock } from '../time/database-clock.ts'
import { type Abandoned, LeaseLost } from './abandoned.ts'

/** What a worker claims environments for: an open operation, a routine reconcile, or what requests ask for. */
export type QueueName = 'operations' | 'reconciles' | 'scalings'

interface Claim {
  appEnvId: string
  /** Whose work it is. */
  accountId: string
  /** Fencing token: greater than that of every earlier claim of the environment. */
  token: number
  queue: QueueName
  /** The operation whose claims this one was counted among; null for a reconcile. */
  countedOperationId: string | null
  /**
   * `due_at` as the claim set it, in the database's own notation. A different value at release means that the
   * environment was made due meanwhile.
   */
  dueAt: string
  clock: DatabaseClock
}

/**
 * The right to work on one environment until it expires. Time is measured by the monotonic clock from before the
 * renewal was sent, so the lease ends here no later than in the database. A process that was paused finds out before
 * its next engine call, and the fencing token refuses its writes in any case.
 */
export class Lease {
  readonly claim: Claim
  /** The operation that the lease is held for; undefined when the end of none would matter. */
  operationId: string | undefined
  /** The last transaction is running: the operation's end is expected. */
  isCompleting = false
  renewedAt: number
  /** Resolves when requests need another number of containers while the work is under way. */
  asked = Promise.withResolvers<void>()
  readonly #controller = new AbortController()
  readonly #lengthMs: number
  #expiry: NodeJS.Timeout | undefined

  /** `claimedAt`: performance.now() from before the claim was sent. */
  constructor(claim: Claim, lengthMs: number, claimedAt: number) {
    this.claim = claim
    this.#lengthMs = lengthMs
    this.renewedAt = claimedAt
    this.renewed(claimedAt)
  }

  get appEnvId(): string {
    return this.claim.appEnvId
  }

  /** Fires when the work has to stop; the reason is an Abandoned. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether no other worker can have claimed the environment yet, even if the work on it has to stop. */
  get isHeld(): boolean {
    const isInTime = performance.now() <= this.renewedAt + this.#lengthMs
    return isInTime && !(this.signal.reason instanceof LeaseLost)
  }

  renewed(at: number): void {
    this.renewedAt = at
    this.#arm()
  }

  /** A timer can fire a moment early. Without arming it again, nothing would end the lease. */
  #arm(): void {
    clearTimeout(this.#expiry)
    const leftMs = this.renewedAt + this.#lengthMs - performance.now()
    this.#expiry = setTimeout(() => {
      this.#endIfExpired()
      if (!this.signal.aborted) this.#arm()
    }, leftMs + 1).unref()
  }

  /** Throws the reason when the work has to stop. */
  assertHeld(): void {
    this.#endIfExpired()
    this.#controller.signal.throwIfAborted()
  }

  #endIfExpired(): void {
    if (performance.now() > this.renewedAt + this.#lengthMs) this.end(new LeaseLost('The lease expired'))
  }

  end(reason: Abandoned): void {
    this.close()
    this.#controller.abort(reason)
  }

  /** Stops the timer when the work is done. */
  close(): void {
    clearTimeout(this.#expiry)
  }
}
