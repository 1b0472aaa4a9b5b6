import { MAX_LEASE_SECONDS } from '../../config/settings.ts'
import type { Database } from '../../database/client.ts'

/**
 * For how many seconds the last lease still holds, if that is longer than any lease is given for, else null. Then the
 * clock of the database has been set back, and a process that is gone holds what it held for that much longer.
 */
export async function findLeaseAhead(database: Database): Promise<number | null> {
  const [row] = await database.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM max(lease_expires_at) - now())::float8 AS seconds FROM (
      SELECT lease_expires_at FROM app_env WHERE lease_expires_at > now()
      UNION ALL SELECT lease_expires_at FROM job_run WHERE lease_expires_at > now()
      UNION ALL SELECT lease_expires_at FROM webhook WHERE lease_expires_at > now()
      UNION ALL SELECT lease_expires_at FROM log_stream WHERE lease_expires_at > now()) AS held`
  const seconds = row?.seconds ?? 0
  return seconds > MAX_LEASE_SECONDS ? Math.round(seconds) : null
}
