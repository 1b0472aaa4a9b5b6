import { Prisma } from '../../storage/database/generated/prisma/client.ts'

/** What accounts have under way in a queue of one worker. The next claim goes to the account that has least. */
export interface AccountShares {
  accountIds: readonly string[]
  counts: readonly number[]
  /** Only an account that has none under way may take the place that is left. */
  isReserved: boolean
}

export const NO_SHARES: AccountShares = { accountIds: [], counts: [], isReserved: false }

export function sharesOf(accountIds: Iterable<string>, isReserved: boolean): AccountShares {
  const counts = new Map<string, number>()
  for (const id of accountIds) counts.set(id, (counts.get(id) ?? 0) + 1)
  return { accountIds: [...counts.keys()], counts: [...counts.values()], isReserved }
}

/** A condition: whether the account in the column may take the place. */
export const mayTake = (accountId: Prisma.Sql, { accountIds, isReserved }: AccountShares): Prisma.Sql =>
  isReserved ? Prisma.sql`${accountId} <> ALL(${accountIds}::text[])` : Prisma.sql`true`

/** Sorts by what the account in the column has under way, least first. */
export const byShare = (accountId: Prisma.Sql, { accountIds, counts }: AccountShares): Prisma.Sql => Prisma.sql`
  coalesce((SELECT held.count FROM unnest(${accountIds}::text[], ${counts}::int[]) AS held (id, count)
    WHERE held.id = ${accountId}), 0)`
