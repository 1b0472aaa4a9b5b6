import type { Database } from '../database/client.ts'

const AT_ONCE = 5_000

/** The beginning of the oldest month of which the usage log is kept. */
export const keptSince = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))

/** Of months that are closed alone: their statements stay. */
export const deleteOldUsage = (database: Database, now: Date, months: number) =>
  database.$executeRaw`
    DELETE FROM usage_interval WHERE id IN (
      SELECT i.id FROM usage_interval i JOIN usage_account a ON a.account_id = i.account_id
      WHERE i.has_ended AND i.until < least(a.open_since, ${keptSince(now, months)}::timestamptz) LIMIT ${AT_ONCE})`
