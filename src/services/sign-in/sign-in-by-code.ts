import { unauthenticated } from '../../domain/errors.ts'
import { type BegunSession, beginSession } from '../session/begin-session.ts'
import { findChallenge, takeChallenge } from './challenge.ts'
import { acceptCode, acceptRecoveryCode, codeName } from './codes.ts'
import { countAttempt, resetAttempts } from './count-attempts.ts'
import { recordSecurity } from './record-security.ts'
import type { Arrived, SignInTools } from './sign-in-by-password.ts'

/** The second step after the password: a code of the user's phone, or one of the recovery codes in its place. */
export async function signInByCode(
  tools: SignInTools,
  { challenge, code }: { challenge: string; code: string },
  from: Arrived,
): Promise<BegunSession> {
  const { database, config, vault } = tools
  const asked = await findChallenge(database, 'SECOND_FACTOR', challenge)
  if (!asked?.userId) throw unauthenticated('The password was entered too long ago: begin again')
  const { userId } = asked
  await countAttempt(database, config, { address: from.address, name: codeName(userId) })
  const begun = await database.$transaction(async (tx) => {
    const isCode = await acceptCode({ tx, vault }, userId, code)
    if (!isCode && !(await acceptRecoveryCode(tx, userId, code))) return null
    // Gone when the password was changed meanwhile.
    if (!(await takeChallenge(tx, 'SECOND_FACTOR', challenge))) throw unauthenticated('Begin again')
    await resetAttempts(tx, codeName(userId))
    if (!isCode) await recordSecurity(tx, vault, { action: 'useRecoveryCode', userId, caller: null }, from)
    return beginSession(tx, tools, { userId, method: asked.data.method, replaced: from.replaced }, from)
  })
  if (begun) return begun
  const failed = { action: 'signInFailed', userId, caller: null, details: { method: 'CODE' } } as const
  await database.$transaction((tx) => recordSecurity(tx, vault, failed, from))
  throw unauthenticated('This is not the code that your phone shows now, or it was used already')
}
