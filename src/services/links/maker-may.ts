import { callerOf, withMemberships } from '../../calls/authenticate.ts'
import { type Caller, may, type Scoped } from '../../calls/caller.ts'
import type { Permission } from '../../domain/permissions.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'

/**
 * Whether the token with which a link was made still works, and may still do what the link does. An address is given
 * away without its maker, so it is asked again whenever the address is used.
 */
export async function makerMay(
  database: Database,
  tokenId: string | null,
  permission: Permission,
  on: Scoped,
): Promise<boolean> {
  const maker = await callerOfMaker(database, tokenId, on.accountId)
  return maker !== null && may(maker, permission, on)
}

/** The caller that made a link, as the database knows them now; null where the token has ended. */
export async function callerOfMaker(
  database: Database,
  tokenId: string | null,
  accountId: string | null,
): Promise<Caller | null> {
  const token = tokenId ? await database.token.findUnique({ where: { id: tokenId }, include: withMemberships }) : null
  if (!token || token.revokedAt) return null
  // A session that was signed out of ends here, too.
  if (token.expiresAt && token.expiresAt <= (await databaseTime(database))) return null
  return callerOf(token, accountId)
}
