import type { Database } from '../../database/client.ts'
import type { Account, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { type Caller, permit, userOf } from '../kernel/caller.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'

/** The account's id, or NOT_FOUND. Members need no look-up: they would not be members otherwise. */
export async function requireAccount(database: Database, caller: Caller, accountId: string): Promise<string> {
  if (caller.memberships.has(accountId)) return accountId
  const account = await database.account.findUnique({ where: { id: accountId }, select: { id: true } })
  if (!account) throw notFound('account', accountId)
  return account.id
}

/** Accounts that the caller belongs to; all of them for the installation's admin. */
export function accountsScope(caller: Caller): Prisma.AccountWhereInput {
  userOf(caller)
  return caller.isInstallationAdmin ? {} : { id: { in: [...caller.memberships.keys()] } }
}

export const listAccounts = (database: Database, caller: Caller, request: PageRequest): Promise<Page<Account>> =>
  page(request, ({ take, after, orderBy }) =>
    database.account.findMany({ where: { AND: [accountsScope(caller), after] }, take, orderBy }),
  )

export async function getAccount(
  database: Database,
  caller: Caller,
  accountId: string,
  query: object = {},
): Promise<Account> {
  const account = await database.account.findUnique({ ...query, where: { id: accountId } })
  if (!account) throw notFound('account', accountId)
  permit(caller, 'account:read', { accountId })
  return account
}

/** The account's record as REST shows it (contract §3). */
export const accountRecord = (caller: Caller, account: Account) => ({
  accountId: account.id,
  name: account.name,
  slug: account.slug,
  isVerified: account.isVerified,
  allowAutoScaling: account.allowAutoScaling,
  isCurrent: caller.currentAccountId === account.id,
  plan: account.planCode,
})

const withUser = { include: { user: true } } as const

type MemberWithUser = Prisma.MembershipGetPayload<typeof withUser>

export async function listMembers(database: Database, caller: Caller, accountId: string) {
  await requireAccount(database, caller, accountId)
  permit(caller, 'account:read', { accountId })
  const members = await database.membership.findMany({
    ...withUser,
    where: { accountId },
    orderBy: { userId: 'asc' },
  })
  return members.map(memberRecord)
}

/** One member. `query` is what GraphQL loads along with it; without, what the record shows. */
export async function getMember(
  database: Database,
  caller: Caller,
  accountId: string,
  userId: string,
  query: object = withUser,
): Promise<MemberWithUser> {
  await requireAccount(database, caller, accountId)
  permit(caller, 'account:read', { accountId })
  const member = await database.membership.findUnique({ ...query, where: { accountId_userId: { accountId, userId } } })
  if (!member) throw notFound('member', userId)
  return member as MemberWithUser
}

/** A member as REST shows it (contract §3). */
export const memberRecord = (member: MemberWithUser) => ({
  userId: member.userId,
  email: member.user.email,
  roles: member.roles,
  appEnvIds: member.restricted ? member.appEnvIds : null,
})

export async function listRegions(database: Database, caller: Caller, accountId: string | undefined) {
  userOf(caller)
  if (accountId) {
    await requireAccount(database, caller, accountId)
    permit(caller, 'account:read', { accountId })
  }
  return database.region.findMany({ orderBy: { code: 'asc' } })
}
