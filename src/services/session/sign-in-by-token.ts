import type { Caller } from '../../calls/caller.ts'
import { lockCallerOf } from '../../calls/giver.ts'
import { forbidden, unauthenticated } from '../../domain/errors.ts'
import { type BegunSession, beginSession, type SessionTools, type SignInFrom } from './begin-session.ts'

/**
 * Begins a session by a token of a user, such as the one that Berth prints for its admin. A
 * session may do what its user may, so that the token must allow no less, and have no end that the session could pass.
 */
export async function signInByToken(
  { database, ...tools }: SessionTools,
  { tokenId }: Caller,
  from: SignInFrom & { replaced: string | null },
): Promise<BegunSession> {
  return database.$transaction(async (tx) => {
    const caller = await lockCallerOf(tx, tokenId, null)
    if (!caller) throw unauthenticated('The token has expired or was revoked')
    const { kind, userId, expiresAt } = caller
    if (kind !== 'USER' || !userId || expiresAt)
      throw forbidden('USER_TOKEN_REQUIRED', 'Sign in with a token of a user, without scopes and without an end')
    return beginSession(tx, tools, { userId, method: 'TOKEN', tokenId, replaced: from.replaced }, from)
  })
}
