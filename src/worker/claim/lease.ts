import { type Abandoned, LeaseLost } from './abandoned.ts'

/**
 * The database's time without another query: its clock at the last query, plus what the monotonic clock has counted
 * since.
 */
interface DatabaseClock {
  now(): Date
}

export function databaseClock(databaseNow: Date): DatabaseClock {
  const askedAt = performance.now()
  return { now: () => new Date(databaseNow.getTime() + performance.now() - askedAt) }
}

/** A row that a worker has claimed. */
export interface Claim {
  /** Of the row. */
  id: string
  /** Whose work it is. */
  accountId: string
  /** Fencing token: greater than that of every earlier claim of the row. */
  token: number
  clock: DatabaseClock
}

/**
 * The right to work on what one row stands for until it expires. Time is measured by the monotonic clock from before the
 * renewal was sent, so the lease ends here no later than in the database. A process that was paused finds out before
 * its next engine call, and the fencing token refuses its writes in any case.
 */
export class Lease<Claimed extends Claim = Claim> {
  readonly claim: Claimed
  renewedAt: number
  readonly #controller = new AbortController()
  readonly #lengthMs: number
  #expiry: NodeJS.Timeout | undefined

  /** `claimedAt`: performance.now() from before the claim was sent. */
  constructor(claim: Claimed, lengthMs: number, claimedAt: number) {
    this.claim = claim
    this.#lengthMs = lengthMs
    this.renewedAt = claimedAt
    this.renewed(claimedAt)
  }

  /** Fires when the work has to stop; the reason is an Abandoned. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether no other worker can have claimed the row yet, even if the work on it has to stop. */
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

/** A lease of an environment, or of one of its runs. */
export type WorkLease = Lease & { readonly appEnvId: string }
