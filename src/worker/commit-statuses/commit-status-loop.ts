import { inParallel } from '../../runtime/in-parallel.ts'
import { sleep } from '../time/sleep.ts'
import { claimStatuses, recordAttempt } from './commit-status-table.ts'
import { reportStatus, type StatusContext } from './report-status.ts'

/** A status whose operation has ended elsewhere is late by at most this much. */
const PAUSE_MS = 5_000
const AT_ONCE = 8

/**
 * Reports the status of deployed commits to git hosts. It compares the reported status with the present one, so that
 * a worker that dies costs a repetition, and no deployment ever waits for it.
 */
export class CommitStatusLoop {
  readonly #context: StatusContext
  #changed = Promise.withResolvers<void>()

  constructor(context: StatusContext) {
    this.#context = context
  }

  readonly wake = (): void => this.#changed.resolve()

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#changed = Promise.withResolvers()
      const wasFull = await this.#round().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'Reporting commit statuses to git hosts failed; it is retried')
        return false
      })
      if (!wasFull) await sleep(PAUSE_MS, signal, this.#changed.promise)
    }
  }

  /** Whether there may be more to report at once. */
  async #round(): Promise<boolean> {
    const due = await claimStatuses(this.#context.database, AT_ONCE)
    await inParallel(due, AT_ONCE, async (claimed) => {
      const outcome = await reportStatus(this.#context, claimed)
      if (outcome) await recordAttempt(this.#context.database, claimed, outcome)
    })
    return due.length === AT_ONCE
  }
}
