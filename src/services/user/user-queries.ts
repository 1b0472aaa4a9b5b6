import type { Database } from '../../database/client.ts'
import type { Prisma, User } from '../../database/generated/prisma/client.ts'
import { requireAccount } from '../account/account-queries.ts'
import { type Caller, permit, userOf } from '../kernel/caller.ts'

/** The user behind the call. */
export const getSelf = (database: Database, caller: Caller, query: object = {}): Promise<User> =>
  database.user.findUniqueOrThrow({ ...query, where: { id: userOf(caller) } })

/** The members of one account, for whoever may read it. */
export async function membersScope(
  database: Database,
  caller: Caller,
  accountId: string,
): Promise<Prisma.MembershipWhereInput> {
  await requireAccount(database, caller, accountId)
  permit(caller, 'account:read', { accountId })
  return { accountId }
}
