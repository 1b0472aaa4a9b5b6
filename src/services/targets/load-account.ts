import type { Caller } from '../../calls/caller.ts'
import type { Target } from '../../calls/command.ts'
import { findByKey } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Account } from '../../storage/database/generated/prisma/client.ts'

export type AccountTarget = Target & { account: Account }

/** Locks the account for the rest of the transaction, so that the decision stays valid. */
export async function lockAccount(tx: Transaction, accountId: string): Promise<AccountTarget> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`
  const account = await tx.account.findUnique({ where: { id: accountId } })
  if (!account) throw notFound('account', accountId)
  return { type: 'account', id: account.id, accountId: account.id, version: account.version, account }
}

/** The account's id, or NOT_FOUND. Members need no look-up: they would not be members otherwise. */
export async function requireAccount(database: Database, caller: Caller, accountId: string): Promise<string> {
  if (caller.memberships.has(accountId)) return accountId
  const account = await findByKey(database, 'Account', { where: { id: accountId }, select: { id: true } })
  if (!account) throw notFound('account', accountId)
  return account.id
}
