import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../database/client.ts'
import { Prisma } from '../database/generated/prisma/client.ts'
import { lockOpenSince } from './usage-account.ts'

/** The disk that volumes have, and the size of backups, with since when. */
const KEPT = Prisma.sql`
  SELECT v.id, 'VOLUME'::"UsageKind" AS kind, v.account_id, v.app_env_id, v.cli_env_name AS env_name,
    v.disk_mb::bigint AS amount, v.created_at AS since
  FROM volume v WHERE v.deleted_at IS NULL
  UNION ALL
  SELECT b.id, 'BACKUP', b.account_id, b.app_env_id, b.cli_env_name, ceil(b.size_bytes / 1048576.0)::bigint,
    coalesce(b.finished_at, b.created_at)
  FROM backup b WHERE b.status = 'AVAILABLE' AND b.size_bytes > 0`

const OPEN = Prisma.sql`kind IN ('VOLUME', 'BACKUP') AND NOT has_ended`

/**
 * Compares volumes and backups with what the usage log has of them. A size that has changed, or a thing that is gone,
 * counted until it was last looked at: the time since then is not charged.
 */
export async function recordKeptBytes(database: Database): Promise<void> {
  await database.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('usage/kept-bytes', 0))`
    const accounts = await tx.$queryRaw<{ accountId: string }[]>`
      SELECT account_id AS "accountId" FROM (${KEPT}) AS kept
      UNION SELECT account_id FROM usage_interval WHERE ${OPEN}`
    await lockOpenSince(
      tx,
      accounts.map(({ accountId }) => accountId),
    )
    await reachOrEnd(tx)
    failpoint('usage.written')
    await begin(tx)
  })
}

const reachOrEnd = (tx: Transaction) => tx.$executeRaw`
  UPDATE usage_interval i SET has_ended = NOT found.is_same,
    until = CASE WHEN found.is_same THEN greatest(i.until, now()) ELSE i.until END
  FROM (SELECT o.id, coalesce(kept.amount = o.amount AND o.until >= a.open_since, false) AS is_same
    FROM usage_interval o JOIN usage_account a ON a.account_id = o.account_id
      LEFT JOIN (${KEPT}) AS kept ON kept.id = o.source_id
    WHERE o.kind IN ('VOLUME', 'BACKUP') AND NOT o.has_ended) AS found
  WHERE i.id = found.id`

/** One that has just been ended because its month was closed goes on from there. */
const begin = (tx: Transaction) => tx.$executeRaw`
  INSERT INTO usage_interval (account_id, app_id, app_env_id, env_name, kind, source_id, run_at, amount, started_at, until)
  SELECT kept.account_id, coalesce(e.app_id, ''), kept.app_env_id, kept.env_name, kept.kind, kept.id, kept.since,
    kept.amount, begun.at, greatest(begun.at, now())
  FROM (${KEPT}) AS kept JOIN usage_account a ON a.account_id = kept.account_id
    LEFT JOIN app_env e ON e.id = kept.app_env_id
    LEFT JOIN LATERAL (SELECT amount, until FROM usage_interval WHERE source_id = kept.id ORDER BY id DESC LIMIT 1)
      AS last ON true
    CROSS JOIN LATERAL (SELECT CASE WHEN last.amount IS NULL THEN greatest(kept.since, a.open_since)
      WHEN last.amount = kept.amount THEN greatest(last.until, a.open_since) ELSE now() END AS at) AS begun
  WHERE NOT EXISTS (SELECT 1 FROM usage_interval o WHERE o.source_id = kept.id AND NOT o.has_ended)`
