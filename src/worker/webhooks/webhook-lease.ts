import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { type AccountShares, byShare, mayTake, NO_SHARES } from '../claim/account-shares.ts'
import { Lease } from '../claim/lease.ts'
import {
  type ClaimedRow,
  claimedBy,
  claimedRow,
  claimOf,
  GIVEN_BACK,
  isFree,
  lockUnderToken,
} from '../claim/leased-table.ts'
import { underLease } from '../claim/under-lease.ts'

const ACCOUNT = Prisma.sql`w.account_id`

/** The right to deliver what one webhook sends, for one round. It is never renewed: a round ends before it. */
export class WebhookLease extends Lease {
  get webhookId(): string {
    return this.claim.id
  }
}

/**
 * Claims the webhook that has waited longest, of the account that has least under way, among those with something to do: an attempt is due, or there are events
 * that it has not read. Null when there is none.
 */
export async function claimWebhook(
  database: Database,
  owner: string,
  leaseSeconds: number,
  shares: AccountShares = NO_SHARES,
): Promise<WebhookLease | null> {
  const askedAt = performance.now()
  const [row] = await database.$queryRaw<ClaimedRow[]>`
    UPDATE webhook SET ${claimedBy({ owner, leaseSeconds })}
    WHERE id = (
      SELECT w.id FROM webhook w LEFT JOIN event_sequence s ON s.id = w.account_id
      WHERE w.is_enabled AND ${mayTake(ACCOUNT, shares)} AND ${isFree(Prisma.sql`w`)}
        AND (w.due_at <= now() OR (NOT w.is_full AND s.last_event_sequence > w.read_sequence))
      ORDER BY ${byShare(ACCOUNT, shares)}, w.served_at NULLS FIRST LIMIT 1 FOR UPDATE OF w SKIP LOCKED)
    RETURNING ${claimedRow(Prisma.sql`webhook`)}`
  return row ? new WebhookLease(claimOf(row), leaseSeconds * 1000, askedAt) : null
}

/**
 * Runs a transaction that can commit only while this worker holds the webhook: it locks its row under the fencing token.
 * Throws LeaseLost when another worker, or a change of the webhook, has taken it.
 */
export async function fencedWebhook<T>(
  database: Database,
  lease: WebhookLease,
  write: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const written = await underLease(database, lease, async (tx) => {
    await lockUnderToken(tx, 'webhook', lease)
    return write(tx)
  })
  failpoint('webhook.written', lease.webhookId)
  return written
}

/**
 * Gives the webhook back, due when the first delivery of any queue is. In a statement after the lock was taken, which
 * sees what a call has made due meanwhile.
 */
export const releaseWebhook = (database: Database, lease: WebhookLease, maxWaiting: number): Promise<number> =>
  fencedWebhook(
    database,
    lease,
    (tx) => tx.$executeRaw`
      UPDATE webhook SET ${GIVEN_BACK}, served_at = now(),
        is_full = ${maxWaiting} <= (SELECT count(*) FROM webhook_delivery
          WHERE webhook_id = ${lease.webhookId} AND status = 'PENDING'),
        due_at = (SELECT min(due_at) FROM (
          SELECT DISTINCT ON (queue) due_at FROM webhook_delivery
          WHERE webhook_id = ${lease.webhookId} AND status = 'PENDING' ORDER BY queue, sequence) heads)
      WHERE id = ${lease.webhookId}`,
  )
