import { z } from 'zod'
import type { Transaction } from '../../database/client.ts'
import type { Membership } from '../../database/generated/prisma/client.ts'
import { type Authority, excessOfRights, isWholeAdmin, membershipAuthority } from '../../domain/delegation.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { permit } from '../kernel/caller.ts'
import { type CommandContext, command } from '../kernel/command.ts'
import { authorityOf, lockGiver, requireNotAbove, requireWithin } from '../kernel/giver.ts'
import { id } from '../kernel/input.ts'
import { lockAccount } from '../targets/load-account.ts'
import { revokeAppEnvTokensOf } from './revoke-app-env-tokens.ts'

const ROLES = ['ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS'] as const

const roles = z
  .array(z.enum(ROLES))
  .min(1, 'must name at least one role')
  .describe('Roles in the account. Any role may read.')
const appEnvIds = z
  .array(id('environment'))
  .max(1000)
  .nullable()
  .describe('Environments the member is restricted to; null: all.')
const email = z.email().max(254).describe('E-mail address of the user.')

export const addMember = command({
  name: 'addMember',
  about: 'Add a member to an account. A user who is new to the installation is created.',
  input: z.strictObject({ accountId: id('account'), email, roles, appEnvIds: appEnvIds.default(null) }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    requireWithin(giver, membershipAuthority(input.roles, setOf(input.appEnvIds)), 'membership')
    await requireAppEnvs(tx, account.id, input.appEnvIds)
    const address = input.email.toLowerCase()
    const known = await tx.user.findUnique({ where: { email: address } })
    const username = address.split('@')[0] ?? address
    const user =
      known ??
      (await tx.user.create({ data: { id: newId('usr'), email: address, username, currentAccountId: account.id } }))
    const key = { accountId: account.id, userId: user.id }
    if (await tx.membership.findUnique({ where: { accountId_userId: key } })) {
      throw conflict('ALREADY_MEMBER', `${address} is a member of the account already`)
    }
    await tx.membership.create({ data: { ...key, roles: input.roles, ...restriction(input.appEnvIds) } })
    context.announce({ type: 'member.changed', payload: { userId: user.id, roles: input.roles } })
    context.auditDetails({ userId: user.id, email: address, roles: input.roles, appEnvIds: input.appEnvIds })
    return { userId: user.id, email: address, roles: input.roles, appEnvIds: input.appEnvIds }
  },
})

export const updateMember = command({
  name: 'updateMember',
  about: 'Change the roles or the restriction of a member.',
  input: z.strictObject({
    accountId: id('account'),
    userId: id('user'),
    roles: roles.optional(),
    appEnvIds: appEnvIds.optional(),
  }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    const member = await getMember(tx, account.id, input.userId)
    const before = authorityOfMember(member)
    const restricted = input.appEnvIds === undefined ? before.appEnvIds : setOf(input.appEnvIds)
    const after = membershipAuthority(input.roles ?? member.roles, restricted)
    requireNotAbove(giver, before)
    // Less than before is not given to anybody, and so may outlive the caller's token.
    if (excessOfRights(before, after)) requireWithin(giver, after, 'membership')
    if (isWholeAdmin(before) && !isWholeAdmin(after)) await requireAnotherAdmin(tx, account.id, member.userId)
    await requireAppEnvs(tx, account.id, input.appEnvIds ?? null)
    const updated = await tx.membership.update({
      where: { accountId_userId: { accountId: account.id, userId: input.userId } },
      data: {
        ...(input.roles ? { roles: input.roles } : {}),
        ...(input.appEnvIds === undefined ? {} : restriction(input.appEnvIds)),
      },
      include: { user: true },
    })
    await revokeAppEnvTokensOf(tx, account.id, updated)
    context.announce({ type: 'member.changed', payload: { userId: updated.userId, roles: updated.roles } })
    context.auditDetails({ userId: updated.userId, roles: updated.roles, appEnvIds: input.appEnvIds })
    return {
      userId: updated.userId,
      email: updated.user.email,
      roles: updated.roles,
      appEnvIds: updated.restricted ? updated.appEnvIds : null,
    }
  },
})

export const removeMember = command({
  name: 'removeMember',
  about: 'Remove a member from an account. At least one ADMIN stays.',
  dangerous: true,
  input: z.strictObject({ accountId: id('account'), userId: id('user') }),
  permission: 'member:manage',
  target: ({ tx }, { accountId }) => lockAccount(tx, accountId),
  async execute(context, input, { account }) {
    const { tx } = context
    const giver = await giverOf(context, account.id)
    const member = await getMember(tx, account.id, input.userId)
    requireNotAbove(giver, authorityOfMember(member))
    if (isWholeAdmin(authorityOfMember(member))) await requireAnotherAdmin(tx, account.id, member.userId)
    await tx.membership.delete({ where: { accountId_userId: { accountId: account.id, userId: input.userId } } })
    await revokeAppEnvTokensOf(tx, account.id, { userId: input.userId, roles: [] })
    await tx.user.updateMany({
      where: { id: input.userId, currentAccountId: account.id },
      data: { currentAccountId: null },
    })
    context.announce({ type: 'member.changed', payload: { userId: input.userId, roles: [] } })
    context.auditDetails({ userId: input.userId })
    return { message: 'The member is removed from the account' }
  },
})

const restriction = (appEnvIds: string[] | null) => ({ restricted: appEnvIds !== null, appEnvIds: appEnvIds ?? [] })

const setOf = (appEnvIds: readonly string[] | null): ReadonlySet<string> | null => appEnvIds && new Set(appEnvIds)

const authorityOfMember = ({ roles, restricted, appEnvIds }: Membership): Authority =>
  membershipAuthority(roles, restricted ? new Set(appEnvIds) : null)

/** What the caller has now, under the lock of the account: calls that waited for it may have changed that. */
async function giverOf({ tx, caller }: CommandContext, accountId: string): Promise<Authority> {
  const giver = await lockGiver(tx, caller)
  permit(giver, 'member:manage', { accountId })
  return authorityOf(giver, accountId)
}

async function getMember(tx: Transaction, accountId: string, userId: string) {
  const member = await tx.membership.findUnique({ where: { accountId_userId: { accountId, userId } } })
  if (!member) throw notFound('member', userId)
  return member
}

async function requireAnotherAdmin(tx: Transaction, accountId: string, userId: string): Promise<void> {
  const isWhole = { roles: { has: 'ADMIN' as const }, restricted: false }
  const others = await tx.membership.count({ where: { accountId, userId: { not: userId }, ...isWhole } })
  if (others === 0) throw conflict('LAST_ADMIN', 'An account keeps at least one ADMIN who is not restricted')
}

async function requireAppEnvs(tx: Transaction, accountId: string, appEnvIds: string[] | null): Promise<void> {
  if (!appEnvIds) return
  const known = await tx.appEnv.count({ where: { id: { in: appEnvIds }, accountId, deletedAt: null } })
  if (known !== new Set(appEnvIds).size)
    throw invalidField('appEnvIds', 'names an environment that the account does not have')
}
