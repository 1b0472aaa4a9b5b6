import type { Logger } from 'pino'
import { failedPart } from '../../database/away.ts'
import type { PartState } from '../../domain/part-states.ts'
import { sleep } from '../time/sleep.ts'
import type { Lease } from './lease.ts'

const POLL_MS = 1_000
const LONGEST_PAUSE_MS = 5_000

/**
 * After this long an attempt mostly waits, for a registry or a program to start, and no longer counts against the
 * slots.
 */
const SLOT_MS = 10_000
/** Limit on everything that runs at once, per slot. */
const WAITING_PER_SLOT = 8

interface WorkQueueOptions<Held extends Lease> {
  slots: number
  claim(): Promise<Held | null>
  /** Never throws. */
  process(lease: Held): Promise<void>
  log: Logger
}

/**
 * Claims environments while there are free slots, and has each processed. Polls every second, and claims at once when
 * woken. While the database is down it polls less and less often.
 */
export class WorkQueue<Held extends Lease = Lease> {
  /** Why the last claim failed; null while claims succeed. */
  lastError: PartState | null = null
  readonly #options: WorkQueueOptions<Held>
  readonly #underWay = new Map<Promise<void>, number>()
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
      while (this.#hasSlot() && !signal.aborted) {
        const lease = await this.#options.claim()
        this.#recovered()
        if (!lease) return
        const work = this.#options.process(lease).finally(() => {
          this.#underWay.delete(work)
          this.wake()
        })
        this.#underWay.set(work, performance.now())
      }
    } catch (error) {
      if (!this.lastError) this.#options.log.warn({ err: error }, 'Claiming work failed; it is retried')
      this.lastError = failedPart(error)
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  #recovered(): void {
    if (this.lastError) this.#options.log.info('Claiming work succeeds again')
    this.lastError = null
    this.#pauseMs = POLL_MS
  }

  #hasSlot(): boolean {
    const { slots } = this.#options
    const since = performance.now() - SLOT_MS
    const taken = [...this.#underWay.values()].filter((startedAt) => startedAt > since).length
    return taken < slots && this.#underWay.size < slots * WAITING_PER_SLOT
  }

  async #rest(signal: AbortSignal): Promise<void> {
    // While the database is down, notifications must not make polls more frequent.
    await sleep(this.#pauseMs, signal, this.lastError ? undefined : this.#wake.promise)
  }
}
