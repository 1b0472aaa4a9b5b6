const MAX_REMEMBERED = 10_000

/** Tolerance for a reconcile that comes a moment early: waiting for the next one would double the period. */
const EARLY_TOLERANCE = 0.9

/** How often in a row the probes of running containers have failed, as far as this worker has seen. */
export class ProbeHistory {
  readonly #failures = new Map<string, number>()
  readonly #passed = new Map<string, true>()
  readonly #askedAt = new Map<string, number>()

  /** Returns the number of failures in a row, this one included; 0 after a success. */
  recordResult(containerId: string, succeeded: boolean): number {
    const failures = succeeded ? 0 : (this.#failures.get(containerId) ?? 0) + 1
    if (failures > 0) remember(this.#failures, containerId, failures)
    else this.#failures.delete(containerId)
    return failures
  }

  failuresOf(containerId: string): number {
    return this.#failures.get(containerId) ?? 0
  }

  /** True when the probe's period has passed since it was last sent; then counts it as sent now. */
  isDue(probe: string, periodSeconds: number, now: Date): boolean {
    const since = now.getTime() - (this.#askedAt.get(probe) ?? Number.NEGATIVE_INFINITY)
    if (since < periodSeconds * 1000 * EARLY_TOLERANCE) return false
    remember(this.#askedAt, probe, now.getTime())
    return true
  }

  /** For probes that end with their first success. */
  recordSuccess(probe: string): void {
    remember(this.#passed, probe, true)
  }

  hasPassed(probe: string): boolean {
    return this.#passed.has(probe)
  }
}

/** Containers come and go, so the entry that was not used for longest is dropped first. */
function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key)
  memory.set(key, value)
  const oldest = memory.keys().next().value
  if (memory.size > MAX_REMEMBERED && oldest !== undefined) memory.delete(oldest)
}
