import { type Caller, visibleAppEnvIds } from '../../calls/caller.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'

/**
 * The environments to show below accounts and apps that the caller may already see. Most callers have no restriction;
 * for them the only condition is that the environment is not deleted.
 */
export function visibleBelow(caller: Caller): Prisma.AppEnvWhereInput {
  const restrictions = [...caller.memberships.keys()].flatMap((accountId) => {
    const visible = visibleAppEnvIds(caller, accountId)
    return visible ? [{ OR: [{ accountId: { not: accountId } }, { id: { in: [...visible] } }] }] : []
  })
  return restrictions.length > 0 ? { deletedAt: null, AND: restrictions } : { deletedAt: null }
}
