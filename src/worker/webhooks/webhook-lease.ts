import type { Database, Transaction } from '../../database/client.ts'
import { Prisma } from '../../database/generated/prisma/client.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { LeaseLost } from '../claim/abandoned.ts'
import { type AccountShares, byShare, mayTake, NO_SHARES } from '../claim/account-shares.ts'
import { Lease } from '../claim/lease.ts'
import { underLease } from '../claim/under-lease.ts'
import { databaseClock } from '../time/database-clock.ts'

const ACCOUNT = Prisma.sql`w.account_id`

/** The right to deliver what one webhook sends, for one round. It is never renewed: a round ends before it. */
export class WebhookLease extends Lease {
  readonly webhookId: string

  constructor(webhookId: string, ...claimed: ConstructorParameters<typeof Lease>) {
    super(...claimed)
    this.webhookId = webhookId
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
  const [row] = await database.$queryRaw<{ id: string; accountId: string; token: number; nowMs: number }[]>`
    UPDATE webhook SET lease_token = lease_token + 1, lease_owner = ${owner},
      lease_expires_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE id = (
      SELECT w.id FROM webhook w LEFT JOIN event_sequence s ON s.id = w.account_id
      WHERE w.is_enabled AND ${mayTake(ACCOUNT, shares)} AND (w.lease_expires_at IS NULL OR w.lease_expires_at < now())
        AND (w.due_at <= now() OR (NOT w.is_full AND s.last_event_sequence > w.read_sequence))
      ORDER BY ${byShare(ACCOUNT, shares)}, w.served_at NULLS FIRST LIMIT 1 FOR UPDATE OF w SKIP LOCKED)
    RETURNING id, account_id AS "accountId", lease_token AS token, (extract(epoch FROM now()) * 1000)::float8 AS "nowMs"`
  if (!row) return null
  const { id, accountId, token, nowMs } = row
  const clock = databaseClock(new Date(nowMs))
  const claim = {
    appEnvId: id,
    accountId,
    token,
    queue: 'operations',
    countedOperationId: null,
    dueAt: '',
    clock,
  } as const
  return new WebhookLease(id, claim, leaseSeconds * 1000, askedAt)
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
    const [held] = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM webhook WHERE id = ${lease.webhookId} AND lease_token = ${lease.claim.token} FOR UPDATE`
    if (!held) throw new LeaseLost(`The webhook ${lease.webhookId} was taken`)
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
      UPDATE webhook SET lease_owner = NULL, lease_expires_at = NULL, served_at = now(),
        is_full = ${maxWaiting} <= (SELECT count(*) FROM webhook_delivery
          WHERE webhook_id = ${lease.webhookId} AND status = 'PENDING'),
        due_at = (SELECT min(due_at) FROM (
          SELECT DISTINCT ON (lane) due_at FROM webhook_delivery
          WHERE webhook_id = ${lease.webhookId} AND status = 'PENDING' ORDER BY lane, sequence) heads)
      WHERE id = ${lease.webhookId}`,
  )
