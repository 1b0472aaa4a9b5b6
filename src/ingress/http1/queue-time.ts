/** How long a request waits for room at its app, or for a container. It may have to several times. */
export class QueueTime {
  /** Null while it does not wait. */
  since: number | null = null
  /** When it first had to. */
  first: number | null = null
  /** Of what is over. */
  passedMs = 0

  begin(now: number): void {
    this.since = now
    this.first ??= now
  }

  /** False when it did not wait. */
  end(now: number): boolean {
    if (this.since === null) return false
    this.passedMs += now - this.since
    this.since = null
    return true
  }
}
