import type { Caller } from '../../calls/caller.ts'
import { forbidden } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'

const FRESH_MINUTES = 15

/**
 * Throws FORBIDDEN unless the caller is a person who has signed in a moment ago: an open browser must not be enough to
 * take the account over.
 */
export async function requireFreshSession(database: Pick<Database, '$queryRaw'>, { tokenId }: Caller): Promise<void> {
  const [session] = await database.$queryRaw<{ isFresh: boolean }[]>`
    SELECT created_at > now() - make_interval(mins => ${FRESH_MINUTES}::int) AS "isFresh"
    FROM token WHERE id = ${tokenId} AND kind = 'SESSION'`
  if (session?.isFresh) return
  throw forbidden('SIGN_IN_AGAIN', `You signed in more than ${FRESH_MINUTES} minutes ago: sign in again to change this`)
}
