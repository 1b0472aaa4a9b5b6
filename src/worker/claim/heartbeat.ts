import type { Database } from '../../database/client.ts'
import type { Lease } from './lease.ts'

/** A lease is renewed after a third of its time, so that one renewal may fail before it expires. */
const RENEWED_AFTER = 1 / 3

/** One heartbeat of a worker: renews those of its leases that are due. */
export async function heartbeat(database: Database, held: Iterable<Lease>, leaseSeconds: number): Promise<void> {
  const renewBefore = performance.now() - leaseSeconds * 1000 * RENEWED_AFTER
  const due = [...held].filter((lease) => lease.renewedAt < renewBefore && !lease.signal.aborted)
  if (due.length > 0) await renew(database, due, leaseSeconds)
}

/** Renews what is still held. A row that a request has locked is left for the next time: it must not hold up the rest. */
export async function renew(database: Database, leases: readonly Lease[], leaseSeconds: number): Promise<void> {
  const askedAt = performance.now()
  const ids = leases.map((lease) => lease.appEnvId)
  const tokens = leases.map((lease) => lease.claim.token)
  const rows = await database.$queryRaw<{ id: string; token: number }[]>`
    UPDATE app_env SET lease_expires_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE id IN (SELECT e.id FROM app_env e JOIN unnest(${ids}::text[], ${tokens}::int[]) AS held (id, token)
      ON e.id = held.id AND e.lease_token = held.token ORDER BY e.id FOR UPDATE OF e SKIP LOCKED)
    RETURNING id, lease_token AS token`
  const renewed = new Set(rows.map((row) => `${row.id} ${row.token}`))
  for (const lease of leases) if (renewed.has(`${lease.appEnvId} ${lease.claim.token}`)) lease.renewed(askedAt)
}
