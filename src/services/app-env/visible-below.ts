import type { Prisma } from '../../database/generated/prisma/client.ts'
import { type Caller, visibleAppEnvIds } from '../kernel/caller.ts'

/**
 * The environments that may show below accounts and apps the caller was given already. Most callers are
 * restricted nowhere, and ask the database for nothing but what is not deleted.
 */
export function visibleBelow(caller: Caller): Prisma.AppEnvWhereInput {
  const restrictions = [...caller.memberships.keys()].flatMap((accountId) => {
    const visible = visibleAppEnvIds(caller, accountId)
    return visible ? [{ OR: [{ accountId: { not: accountId } }, { id: { in: [...visible] } }] }] : []
  })
  return restrictions.length > 0 ? { deletedAt: null, AND: restrictions } : { deletedAt: null }
}
