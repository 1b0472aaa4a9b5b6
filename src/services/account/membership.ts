import { z } from 'zod'
import { permit } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { authorityOf, lockGiver } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { type Authority, isWholeAdmin, membershipAuthority } from '../../domain/delegation.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Permission } from '../../domain/permissions.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Membership } from '../../storage/database/generated/prisma/client.ts'
import { revokeGivenBy } from './revoke-given-by.ts'

/** What every call that gives, changes or takes a membership shares. All of them hold the lock of the account. */

const ROLES = ['ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS'] as const

export const roles = z
  .array(z.enum(ROLES))
  .min(1, 'must name at least one role')
  .describe('Roles in the account. Any role may read.')
export const appEnvIds = z
  .array(id('environment'))
  .max(1000)
  .nullable()
  .describe('Environments the member is restricted to; null: all.')
export const email = z.email().max(254).describe('E-mail address of the user.')

export const restriction = (appEnvIds: string[] | null) => ({
  restricted: appEnvIds !== null,
  appEnvIds: appEnvIds ?? [],
})

export const setOf = (appEnvIds: readonly string[] | null): ReadonlySet<string> | null =>
  appEnvIds && new Set(appEnvIds)

export const authorityOfMember = ({ roles, restricted, appEnvIds }: Membership): Authority =>
  membershipAuthority(roles, restricted ? new Set(appEnvIds) : null)

/** What the caller has now, under the lock of the account: calls that waited for it may have changed that. */
export async function giverOf(
  { tx, caller }: CommandContext,
  accountId: string,
  permission: Permission = 'member:manage',
): Promise<Authority> {
  const giver = await lockGiver(tx, caller)
  permit(giver, permission, { accountId })
  return authorityOf(giver, accountId)
}

export async function memberOf(tx: Transaction, accountId: string, userId: string) {
  const member = await tx.membership.findUnique({ where: { accountId_userId: { accountId, userId } } })
  if (!member) throw notFound('member', userId)
  return member
}

export async function requireAnotherAdmin(tx: Transaction, accountId: string, userId: string): Promise<void> {
  const isWhole = { roles: { has: 'ADMIN' as const }, restricted: false }
  const others = await tx.membership.count({ where: { accountId, userId: { not: userId }, ...isWhole } })
  if (others === 0) throw conflict('LAST_ADMIN', 'An account keeps at least one ADMIN who is not restricted')
}

export async function requireAppEnvs(tx: Transaction, accountId: string, appEnvIds: string[] | null): Promise<void> {
  if (!appEnvIds) return
  const known = await tx.appEnv.count({ where: { id: { in: appEnvIds }, accountId, deletedAt: null } })
  if (known !== new Set(appEnvIds).size)
    throw invalidField('appEnvIds', 'names an environment that the account does not have')
}

interface Key {
  accountId: string
  userId: string
}

export async function requireNoMember(tx: Transaction, key: Key, address: string): Promise<void> {
  if (await tx.membership.findUnique({ where: { accountId_userId: key } }))
    throw conflict('ALREADY_MEMBER', `${address} is a member of the account already`)
}

export const newUser = (address: string, accountId: string) => ({
  id: newId('usr'),
  email: address,
  username: address.split('@')[0] ?? address,
  currentAccountId: accountId,
})

/** Ends a membership, for every caller, with all grants that only a member may have made. Throws LAST_ADMIN. */
export async function endMembership(context: CommandContext, member: Membership): Promise<void> {
  const { tx } = context
  const { accountId, userId } = member
  if (isWholeAdmin(authorityOfMember(member))) await requireAnotherAdmin(tx, accountId, userId)
  await tx.membership.delete({ where: { accountId_userId: { accountId, userId } } })
  await revokeGivenBy(tx, accountId, { userId, roles: [], restricted: false, appEnvIds: [] })
  await tx.user.updateMany({ where: { id: userId, currentAccountId: accountId }, data: { currentAccountId: null } })
  context.announce({ type: 'member.changed', payload: { userId, roles: [] } })
  context.auditDetails({ userId })
}
