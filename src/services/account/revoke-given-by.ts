import { revokeTokens } from '../../calls/revoke-tokens.ts'
import { excessOfRights, membershipAuthority } from '../../domain/delegation.ts'
import { rolesAllow } from '../../domain/permissions.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { type Membership, Prisma } from '../../storage/database/generated/prisma/client.ts'

type Remaining = Pick<Membership, 'userId' | 'roles' | 'restricted' | 'appEnvIds'>

/**
 * Revokes what a member gave and could not give any more: tokens of environments, and open invitations. A token of a
 * user is narrowed whenever it is used; these have no user yet, and would outlive their maker's rights.
 */
export async function revokeGivenBy(tx: Transaction, accountId: string, remaining: Remaining): Promise<void> {
  const maker = await tx.user.findUnique({ where: { id: remaining.userId }, select: { isInstallationAdmin: true } })
  if (maker?.isInstallationAdmin) return
  await revokeAppEnvTokens(tx, accountId, remaining)
  await revokeInvitations(tx, accountId, remaining)
}

async function revokeAppEnvTokens(tx: Transaction, accountId: string, remaining: Remaining): Promise<void> {
  const { userId, roles, restricted, appEnvIds } = remaining
  const mayMake = rolesAllow('token:manage', roles)
  if (mayMake && !restricted) return
  const kept = mayMake ? appEnvIds : []
  await revokeTokens(
    tx,
    Prisma.sql`id IN (SELECT t.id FROM token t JOIN token maker ON maker.id = t.parent_id
      JOIN app_env e ON e.id = t.app_env_id
      WHERE maker.user_id = ${userId} AND e.account_id = ${accountId} AND e.id <> ALL(${kept}::text[]))`,
  )
}

async function revokeInvitations(tx: Transaction, accountId: string, remaining: Remaining): Promise<void> {
  const open = await tx.invitation.findMany({
    where: { accountId, acceptedAt: null, revokedAt: null, token: { userId: remaining.userId } },
  })
  const mayInvite = rolesAllow('member:manage', remaining.roles) && !remaining.restricted
  const own = grantOf(remaining)
  const beyond = open.filter((invitation) => !mayInvite || excessOfRights(own, grantOf(invitation)) !== null)
  if (beyond.length === 0) return
  const ids = beyond.map(({ id }) => id)
  await tx.$executeRaw`UPDATE invitation SET revoked_at = now() WHERE id = ANY(${ids}::text[])`
}

/** A membership, or an invitation to one, as the delegation rule sees it; without the scopes of a token. */
const grantOf = ({ roles, restricted, appEnvIds }: Omit<Remaining, 'userId'>) => ({
  ...membershipAuthority(roles, restricted ? new Set(appEnvIds) : null),
  scopes: null,
})
