import { accountOrCurrent, type Caller, permit, userOf } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { containing } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { BY_AGE_OR_NAME, BY_USER, ORDER } from '../../calls/order.ts'
import { listQuery, query, wholeListQuery } from '../../calls/query.ts'
import { findByKey, findRows, type Wanted } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Account, Membership } from '../../storage/database/generated/prisma/client.ts'
import { region } from '../plan/region-fields.ts'
import { requireAccount } from '../targets/load-account.ts'
import { account } from './account-fields.ts'
import { member } from './member-fields.ts'

/** Accounts that the caller belongs to; all of them for the installation's admin. */
export const accounts = collection({
  model: 'Account',
  orders: BY_AGE_OR_NAME,
  filters: { name: containing('name', 'Text in the name, in any case.') },
  async scope(_database, caller, _filter: object) {
    userOf(caller)
    return caller.isInstallationAdmin ? {} : { id: { in: [...caller.memberships.keys()] } }
  },
})

async function findAccount(
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

/** The members of one account, for callers who may read it. */
export const members = collection({
  model: 'Membership',
  orders: BY_USER,
  // A member is known by its user.
  key: 'userId',
  async scope(database, caller, { accountId }: { accountId: string }) {
    await readMembers(database, caller, accountId)
    return { accountId }
  },
})

async function findMember(
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

async function findRegions(database: Database, caller: Caller, accountId: string | undefined, wanted: Wanted = {}) {
  userOf(caller)
  if (accountId) {
    await requireAccount(database, caller, accountId)
    permit(caller, 'account:read', { accountId })
  }
  return findRows(database, 'Region', { ...wanted, where: {}, orderBy: ORDER.region })
}

export const getAccount = query({
  name: 'getAccount',
  path: '/account',
  permission: 'account:read',
  about: 'An account; your current one when accountId is omitted.',
  input: { accountId: id('account').optional() },
  key: { field: 'accountId', prefix: 'acc' },
  of: account,
  version: true,
  find: ({ database, caller }, { accountId }, wanted) =>
    findAccount(database, caller, accountOrCurrent(caller, accountId), wanted),
})

export const listAccounts = listQuery({
  name: 'listAccounts',
  path: '/accounts',
  permission: 'user:read',
  about: 'The accounts that you belong to; all of them for the installation’s admin.',
  input: {},
  of: account,
  from: accounts,
})

export const getMember = query({
  name: 'getMember',
  path: '/account/member',
  permission: 'account:read',
  about: 'A member of an account.',
  input: { accountId: id('account'), userId: id('user') },
  of: member,
  find: ({ database, caller }, { accountId, userId }, wanted) =>
    findMember(database, caller, accountId, userId, wanted),
})

/** GraphQL's field is written by hand: its cursors name the account too. */
export const listMembers = listQuery({
  name: 'listMembers',
  path: '/account/members',
  permission: 'account:read',
  about: 'The members of an account.',
  input: { accountId: id('account') },
  inGraphQL: null,
  of: member,
  from: members,
})

export const listRegions = wholeListQuery({
  name: 'listRegions',
  path: '/regions',
  permission: 'catalogue:read',
  about: 'The regions that environments can run in.',
  input: { accountId: id('account').optional() },
  of: region,
  isRecord: false,
  itemsAbout: 'Regions of the installation.',
  all: ({ database, caller }, { accountId }, wanted) => findRegions(database, caller, accountId, wanted),
})
