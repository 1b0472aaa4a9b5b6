import { Lease } from '../claim/lease.ts'

/** The right to carry out one job run. Its writes are fenced by the run's row, never by the environment's. */
export class RunLease extends Lease {
  /** Its environment. */
  readonly appEnvId: string
  readonly #cancelled = new AbortController()

  constructor(appEnvId: string, ...claimed: ConstructorParameters<typeof Lease>) {
    super(...claimed)
    this.appEnvId = appEnvId
  }

  get runId(): string {
    return this.claim.id
  }

  /** Fires when the run is to be cancelled. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal
  }

  cancel(): void {
    this.#cancelled.abort()
  }
}
