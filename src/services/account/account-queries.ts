import type { Database } from '../../database/client.ts'
import type { Account, Membership } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { type Caller, permit, userOf } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { findByKey, findRows, type Wanted } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'

/** Accounts that the caller belongs to; all of them for the installation's admin. */
export const accounts = collection({
  model: 'Account',
  orderBy: ORDER.account,
  async scope(_database, caller, _filter: object) {
    userOf(caller)
    return caller.isInstallationAdmin ? {} : { id: { in: [...caller.memberships.keys()] } }
  },
})

export async function getAccount(
  database: Database,
  caller: Caller,
  accountId: string,
  wanted: Wanted = {},
): Promise<Account> {
  const account = await findByKey(database, 'Account', { ...wanted, where: { id: accountId } })
  if (!account) throw notFound('account', accountId)
  permit(caller, 'account:read', { accountId })
  return account
}

async function readMembers(database: Database, caller: Caller, accountId: string): Promise<void> {
  await requireAccount(database, caller, accountId)
  permit(caller, 'account:read', { accountId })
}

/** The members of one account, for whoever may read it. */
export const members = collection({
  model: 'Membership',
  orderBy: ORDER.member,
  async scope(database, caller, { accountId }: { accountId: string }) {
    await readMembers(database, caller, accountId)
    return { accountId }
  },
})

export async function getMember(
  database: Database,
  caller: Caller,
  accountId: string,
  userId: string,
  wanted: Wanted = {},
): Promise<Membership> {
  await readMembers(database, caller, accountId)
  const member = await findByKey(database, 'Membership', { ...wanted, where: { accountId, userId } })
  if (!member) throw notFound('member', userId)
  return member
}

export async function listRegions(
  database: Database,
  caller: Caller,
  accountId: string | undefined,
  wanted: Wanted = {},
) {
  userOf(caller)
  if (accountId) {
    await requireAccount(database, caller, accountId)
    permit(caller, 'account:read', { accountId })
  }
  return findRows(database, 'Region', { ...wanted, where: {}, orderBy: ORDER.region })
}
