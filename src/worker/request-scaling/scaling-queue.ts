import type { AppEnvLease } from '../claim/app-env-lease.ts'

/** Longer than most work on an environment takes; the scan adds what is still to be done again. */
const KEPT_MS = 10_000

/**
 * The environments that may have to be scaled: notified by an ingress at once, or found by this worker's own check of the
 * reports, once a second. The worker that claims one decides under its lease.
 */
export class ScalingQueue {
  readonly #pending = new Map<string, number>()
  readonly #claimOne: (appEnvId: string) => Promise<AppEnvLease | null>
  readonly #isOurs: (appEnvId: string) => Promise<boolean>

  /** `isOurs`: whether the environment is on the engine of this queue. Ingresses announce what they want to all. */
  constructor(
    claimOne: (appEnvId: string) => Promise<AppEnvLease | null>,
    isOurs: (appEnvId: string) => Promise<boolean> = async () => true,
  ) {
    this.#claimOne = claimOne
    this.#isOurs = isOurs
  }

  add(appEnvId: string): void {
    if (!this.#pending.has(appEnvId)) this.#pending.set(appEnvId, performance.now())
  }

  /** The first without a claim; null when there is none. */
  async claim(): Promise<AppEnvLease | null> {
    for (const [appEnvId, addedAt] of [...this.#pending]) {
      if (!this.#pending.delete(appEnvId)) continue
      const lease = await this.#claimOne(appEnvId)
      if (lease) return lease
      if (!(await this.#isOurs(appEnvId))) continue
      // Another claim is held: it is tried again when a lease was released.
      if (performance.now() - addedAt < KEPT_MS && !this.#pending.has(appEnvId)) this.#pending.set(appEnvId, addedAt)
    }
    return null
  }
}
