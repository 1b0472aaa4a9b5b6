import type { Transaction } from '../../database/client.ts'
import { type Membership, Prisma } from '../../database/generated/prisma/client.ts'
import { rolesAllow } from '../../domain/permissions.ts'
import { revokeTokens } from '../kernel/revoke-tokens.ts'

type Remaining = Pick<Membership, 'userId' | 'roles'> & Partial<Pick<Membership, 'restricted' | 'appEnvIds'>>

/**
 * Revokes the tokens of environments that a member made and could not make any more. A token of a user is narrowed
 * whenever it is used; one of an environment has no user, and would outlive its maker's rights.
 */
export async function revokeAppEnvTokensOf(
  tx: Transaction,
  accountId: string,
  { userId, roles, restricted = false, appEnvIds = [] }: Remaining,
): Promise<void> {
  const mayMake = rolesAllow('token:manage', roles)
  if (mayMake && !restricted) return
  const kept = mayMake ? appEnvIds : []
  await revokeTokens(
    tx,
    Prisma.sql`id IN (SELECT t.id FROM token t JOIN token maker ON maker.id = t.parent_id
      JOIN app_env e ON e.id = t.app_env_id JOIN "user" u ON u.id = maker.user_id
      WHERE NOT u.is_installation_admin AND maker.user_id = ${userId} AND e.account_id = ${accountId} AND e.id <> ALL(${kept}::text[]))`,
  )
}
