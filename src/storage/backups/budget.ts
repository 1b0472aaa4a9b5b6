import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../database/client.ts'

const MB = 1024 * 1024

/** What an account has stored: backups, and the logs of changes since. */
export async function storedBytes(tx: Database | Transaction, accountId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ bytes: bigint }[]>`
    SELECT (SELECT coalesce(sum(size_bytes), 0) FROM backup WHERE account_id = ${accountId})::bigint
      + (SELECT coalesce(sum(p.size_bytes), 0) FROM log_piece p JOIN log_archive a ON a.id = p.archive_id
         WHERE a.account_id = ${accountId})::bigint AS bytes`
  return Number(row?.bytes ?? 0)
}

/** Of the account's budget. What it stores at the same time may grow too, each by no more than this. */
export const bytesLeft = async (
  tx: Database | Transaction,
  { BERTH_BACKUP_BUDGET_MB }: Config,
  accountId: string,
): Promise<number> => BERTH_BACKUP_BUDGET_MB * MB - (await storedBytes(tx, accountId))
