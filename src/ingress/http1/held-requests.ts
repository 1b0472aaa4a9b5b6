import type { CurrentTable } from '../routes/route-table.ts'
import type { ClientConnection } from './client-connection.ts'

const MAX_HELD = 1_000

/**
 * Requests without a route in the table. The table may be a moment older than the answer that the client got, so the
 * requests are held until it is known to be newer than they are.
 */
export class HeldRequests {
  private readonly source: CurrentTable
  private count = 0

  constructor(source: CurrentTable) {
    this.source = source
  }

  /** False: nothing newer is to be had, or too many wait for it already. */
  tryHold(connection: ClientConnection, proceed: () => void): boolean {
    if (this.count >= MAX_HELD) return false
    const caughtUp = this.source.caughtUp()
    if (!caughtUp) return false
    this.count += 1
    void caughtUp.then(() => {
      this.count -= 1
      if (!connection.isGone) proceed()
    })
    return true
  }
}
