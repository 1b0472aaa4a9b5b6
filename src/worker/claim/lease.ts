import type { DatabaseClock } from '../time/database-clock.ts'
import { type Abandoned, LeaseLost } from './abandoned.ts'

/** What a worker claims environments for: an operation that is open, or a look at what runs. */
export type QueueName = 'operations' | 'reconciles'

interface Claim {
  appEnvId: string
  /** Fencing token: greater than that of every earlier claim of the environment. */
  token: number
  queue: QueueName
  /** Where the claim put `due_at`, as the database writes it. Elsewhere at release, somebody asked for attention. */
  dueAt: string
  clock: DatabaseClock
}

/**
 * The right to work on one environment until it expires. The time is measured here by the monotonic clock from
 * before the renewal was sent, so it ends here no later than in the database: a process that was paused finds
 * out before its next engine call, and what it writes to the database is refused by the token anyway.
 */
export class Lease {
  readonly claim: Claim
  /** The operation that the work is for; undefined while there is none whose end would matter. */
  operationId: string | undefined
  /** The work's last transaction is under way, so that the operation's end is no surprise. */
  isCompleting = false
  renewedAt: number
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

  /** Fires, with an Abandoned as its reason, when the work has to stop. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether nobody else can have the environment yet, even where the work on it has to stop. */
  get isHeld(): boolean {
    const isInTime = performance.now() <= this.renewedAt + this.#lengthMs
    return isInTime && !(this.signal.reason instanceof LeaseLost)
  }

  renewed(at: number): void {
    this.renewedAt = at
    this.#arm()
  }

  /** A timer can fire a moment early; then it is set again, or nothing would ever end the lease. */
  #arm(): void {
    clearTimeout(this.#expiry)
    const leftMs = this.renewedAt + this.#lengthMs - performance.now()
    this.#expiry = setTimeout(() => {
      this.#endIfExpired()
      if (!this.signal.aborted) this.#arm()
    }, leftMs + 1).unref()
  }

  /** Throws the reason why the work has to stop, if it has. */
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

  /** The work is over. */
  close(): void {
    clearTimeout(this.#expiry)
  }
}
