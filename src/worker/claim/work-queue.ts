import type { Logger } from 'pino'
import type { PartState } from '../../domain/part-states.ts'
import { failedPart } from '../../storage/database/away.ts'
import { sleep } from '../time/sleep.ts'
import { type AccountShares, sharesOf } from './account-shares.ts'
import type { Lease } from './lease.ts'

const POLL_MS = 1_000
const MAX_PAUSE_MS = 5_000

/**
 * After this long an attempt mostly waits, for a registry or a program to start, and no longer counts against the
 * slots.
 */
const SLOT_MS = 10_000
/** Limit on everything that runs at once, per slot. */
const WAITING_PER_SLOT = 8
/** Beyond the slots: for accounts that have none, so that what others have asked for delays nothing of theirs. */
const RESERVED_SLOTS = 1

interface WorkQueueOptions<Held extends Lease> {
  slots: number
  claim(shares: AccountShares): Promise<Held | null>
  /** Never throws. */
  process(lease: Held): Promise<void>
  log: Logger
}

/**
 * Claims environments while there are free slots, and has each processed. Polls every second, and claims at once when
 * woken. While the database is down it polls less and less often. Accounts share the slots: the next claim is for the one that
 * has least under way, and one slot more is for those that have none.
 */
export class WorkQueue<Held extends Lease = Lease> {
  /** Why the last claim failed; null while claims succeed. */
  lastError: PartState | null = null
  readonly #options: WorkQueueOptions<Held>
  readonly #underWay = new Map<Promise<void>, { since: number; accountId: string }>()
  #wake = Promise.withResolvers<void>()
  #pauseMs = POLL_MS

  constructor(options: WorkQueueOptions<Held>) {
    this.#options = options
  }

  /** There may be something to claim. */
  wake(): void {
    this.#wake.resolve()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      await this.#claimAll(signal)
      await this.#rest(signal)
    }
    await Promise.all(this.#underWay.keys())
  }

  async #claimAll(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const shares = this.#shares()
        if (!shares) return
        const lease = await this.#options.claim(shares)
        this.#recovered()
        if (!lease) return
        const work = this.#options.process(lease).finally(() => {
          this.#underWay.delete(work)
          this.wake()
        })
        this.#underWay.set(work, { since: performance.now(), accountId: lease.claim.accountId })
      }
    } catch (error) {
      if (!this.lastError) this.#options.log.warn({ err: error }, 'Claiming work failed; it is retried')
      this.lastError = failedPart(error)
      this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS)
    }
  }

  #recovered(): void {
    if (this.lastError) this.#options.log.info('Claiming work succeeds again')
    this.lastError = null
    this.#pauseMs = POLL_MS
  }

  /** The claims by account; null where no slot is left. */
  #shares(): AccountShares | null {
    const { slots } = this.#options
    const since = performance.now() - SLOT_MS
    const underWay = [...this.#underWay.values()]
    const taken = underWay.filter((work) => work.since > since).length
    const free = Math.min(slots - taken, slots * WAITING_PER_SLOT - underWay.length)
    if (free <= -RESERVED_SLOTS) return null
    return sharesOf(
      underWay.map(({ accountId }) => accountId),
      free <= 0,
    )
  }

  async #rest(signal: AbortSignal): Promise<void> {
    // While the database is down, notifications must not make polls more frequent.
    await sleep(this.#pauseMs, signal, this.lastError ? undefined : this.#wake.promise)
  }
}
