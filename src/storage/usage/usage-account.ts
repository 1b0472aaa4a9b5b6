import type { Transaction } from '../database/client.ts'

/**
 * Since when the usage of these accounts is open. Locks it until the end of the transaction, so that no month is closed
 * while usage of it is written; other writers are not held up.
 */
export async function lockOpenSince(
  tx: Transaction,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const ids = [...new Set(accountIds)].sort()
  // An account that was never metered: from its beginning on, or from now on where it is gone already.
  await tx.$executeRaw`
    INSERT INTO usage_account (account_id, open_since)
    SELECT one.id, coalesce(a.created_at, now()) FROM unnest(${ids}::text[]) AS one(id)
      LEFT JOIN account a ON a.id = one.id
    ON CONFLICT (account_id) DO NOTHING`
  const rows = await tx.$queryRaw<{ accountId: string; openSince: Date }[]>`
    SELECT account_id AS "accountId", open_since AS "openSince" FROM usage_account
    WHERE account_id = ANY(${ids}::text[]) ORDER BY account_id FOR SHARE`
  return new Map(rows.map(({ accountId, openSince }) => [accountId, openSince]))
}
