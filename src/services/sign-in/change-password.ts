import { type Caller, userOf } from '../../calls/caller.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { endSessions, requireFreshSession, type SignInFrom } from '../session/begin-session.ts'
import { countAttempt } from './count-attempts.ts'
import { recordSecurity } from './record-security.ts'
import type { SignInTools } from './sign-in-by-password.ts'

interface Change {
  password: string
  /** The current password; not needed by a user without one who has just signed in. */
  currentPassword?: string | undefined
}

/** Sets the caller's password, and ends their other sessions: those may have been begun with a stolen old one. */
export async function changePassword(
  tools: SignInTools,
  caller: Caller,
  { password, currentPassword }: Change,
  from: SignInFrom,
): Promise<{ endedSessions: number }> {
  const { database, config, vault, passwords } = tools
  const userId = userOf(caller)
  const user = await database.user.findUniqueOrThrow({ where: { id: userId }, include: { password: true } })
  const stored = user.password?.hash ?? null
  if (stored === null) await requireFreshSession(database, caller)
  else {
    if (currentPassword === undefined) throw invalidField('currentPassword', 'is required, because you have a password')
    await countAttempt(database, config, { address: from.address, name: user.email })
    const { matches } = await passwords.check(currentPassword, stored)
    if (!matches) throw invalidField('currentPassword', 'is not your password')
  }
  refuseName(password, user.email)
  const hash = await passwords.hash(password)
  return database.$transaction(async (tx) => {
    await storePassword(tx, { userId, hash, replaces: stored })
    const endedSessions = await endSignIns(tx, userId, caller.tokenId)
    const details = { endedSessions, isFirst: stored === null }
    await recordSecurity(tx, vault, { action: 'changePassword', userId, caller, details }, from)
    return { endedSessions }
  })
}

export function refuseName(password: string, email: string): void {
  if (password.toLowerCase() === email.toLowerCase()) throw invalidField('password', 'must not be your e-mail address')
}

/** Throws CONFLICT when another call has changed it meanwhile; `replaces` undefined: whatever it was. */
export async function storePassword(
  tx: Transaction,
  { userId, hash, replaces }: { userId: string; hash: string; replaces?: string | null },
): Promise<void> {
  const [row] = await tx.$queryRaw<{ userId: string }[]>`
    INSERT INTO user_password AS p (user_id, hash) VALUES (${userId}, ${hash})
    ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()
    WHERE ${replaces === undefined} OR p.hash = ${replaces ?? null}
    RETURNING p.user_id AS "userId"`
  if (!row) throw conflict('PASSWORD_CHANGED', 'Another call has changed the password meanwhile')
}

/** Ends a user's sessions but one, and the sign-ins that they have begun. Returns how many sessions. */
export async function endSignIns(tx: Transaction, userId: string, except: string | null): Promise<number> {
  await tx.$executeRaw`DELETE FROM sign_in_challenge WHERE user_id = ${userId}`
  return endSessions(tx, { userId, ...(except ? { except } : {}) })
}
