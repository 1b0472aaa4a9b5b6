import type { Logger } from 'pino'
import type { Database } from '../../storage/database/client.ts'
import { renewLeases } from '../claim/leased-table.ts'
import { sleep } from '../time/sleep.ts'
import type { RunLease } from './run-lease.ts'
import { checkRuns } from './run-lease-table.ts'

/** A lease is renewed this often within its length; a notification makes it happen at once. */
const RENEWALS_PER_LEASE = 4

/** Renews the leases of the runs that one worker carries out, and finds out which of them have to end. */
export class RunKeeper {
  readonly #held = new Set<RunLease>()
  readonly #database: Database
  readonly #leaseSeconds: number
  readonly #log: Logger
  #wake = Promise.withResolvers<void>()

  constructor(database: Database, leaseSeconds: number, log: Logger) {
    this.#database = database
    this.#leaseSeconds = leaseSeconds
    this.#log = log
  }

  get held(): ReadonlySet<RunLease> {
    return this.#held
  }

  add(lease: RunLease): void {
    this.#held.add(lease)
  }

  drop(lease: RunLease): void {
    this.#held.delete(lease)
  }

  /** One of these may have been cancelled. */
  checkNow(appEnvId: string): void {
    if ([...this.#held].some((lease) => lease.appEnvId === appEnvId)) this.#wake.resolve()
  }

  /** Runs until the signal fires. While the database is down it keeps trying; the leases expire on their own. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep((this.#leaseSeconds * 1000) / RENEWALS_PER_LEASE, signal, this.#wake.promise)
      this.#wake = Promise.withResolvers()
      if (signal.aborted || this.#held.size === 0) continue
      await this.#renew().catch((error: unknown) =>
        this.#log.debug({ err: error }, 'Renewing the leases of job runs failed; it is retried'),
      )
    }
  }

  async #renew(): Promise<void> {
    const leases = [...this.#held]
    await renewLeases(this.#database, 'job_run', leases, this.#leaseSeconds)
    await checkRuns(this.#database, leases)
  }
}
