import type { Database } from '../../storage/database/client.ts'
import type { Lease } from './lease.ts'
import { renewLeases } from './leased-table.ts'

/** A lease is renewed after a third of its time, so that one renewal may fail before it expires. */
const RENEWED_AFTER = 1 / 3

/** One heartbeat of a worker: renews those of its leases that are due. */
export async function heartbeat(database: Database, held: Iterable<Lease>, leaseSeconds: number): Promise<void> {
  const renewBefore = performance.now() - leaseSeconds * 1000 * RENEWED_AFTER
  const due = [...held].filter((lease) => lease.renewedAt < renewBefore && !lease.signal.aborted)
  if (due.length > 0) await renewLeases(database, 'app_env', due, leaseSeconds)
}
