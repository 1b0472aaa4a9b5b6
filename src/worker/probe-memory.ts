const MOST_REMEMBERED = 10_000

/** How often in a row the probes of running containers have failed, as far as this worker saw. */
export class ProbeMemory {
  readonly #failures = new Map<string, number>()

  /** Returns the number of failures in a row, this one included; 0 when it succeeded. */
  note(containerId: string, succeeded: boolean): number {
    const failures = succeeded ? 0 : (this.#failures.get(containerId) ?? 0) + 1
    this.#failures.delete(containerId)
    if (failures > 0) this.#failures.set(containerId, failures)
    // Containers come and go; the ones not heard of for longest are forgotten first.
    const oldest = this.#failures.keys().next().value
    if (this.#failures.size > MOST_REMEMBERED && oldest !== undefined) this.#failures.delete(oldest)
    return failures
  }
}
