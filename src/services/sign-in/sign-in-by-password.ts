import { unauthenticated } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { type BegunSession, beginSession, type SessionTools, type SignInFrom } from '../session/begin-session.ts'
import { makeChallenge } from './challenge.ts'
import type { CompanyProvider } from './company-provider.ts'
import { countAttempt, resetAttempts } from './count-attempts.ts'
import type { Passwords } from './passwords.ts'
import { recordSecurity } from './record-security.ts'

/** How long the second step may take. */
const CODE_MINUTES = 10

export type SignInTools = SessionTools & { passwords: Passwords; company: CompanyProvider }

/** Where a sign-in comes from, and the session that the browser had until now. */
export type Arrived = SignInFrom & { replaced: string | null }

/** A session, or what is still to be answered: by a code. */
export type SignedIn = BegunSession | { challenge: string }

interface Attempt {
  email: string
  password: string
}

/**
 * Begins a session by a password, or asks for a code where the user has set that up. An unknown address, one without a
 * password, and a wrong password take the same work and get the same answer.
 */
export async function signInByPassword(
  tools: SignInTools,
  { email, password }: Attempt,
  from: Arrived,
): Promise<SignedIn> {
  const { database, config, vault, passwords } = tools
  const name = email.trim().toLowerCase()
  await countAttempt(database, config, { address: from.address, name })
  const user = await database.user.findUnique({ where: { email: name }, include: { password: true } })
  const stored = user?.password?.hash ?? null
  const { matches, isOutdated } = await passwords.check(password, stored)
  if (!user || !matches) {
    const failed = { action: 'signInFailed', userId: user?.id ?? null, caller: null } as const
    await database.$transaction((tx) => recordSecurity(tx, vault, { ...failed, details: { method: 'PASSWORD' } }, from))
    throw wrong()
  }
  const renewed = isOutdated ? await passwords.hash(password) : null
  return database.$transaction(async (tx) => {
    // Changing the password ends the sessions, so none may begin with the old one afterwards.
    const [present] = await tx.$queryRaw<{ hash: string }[]>`
      SELECT hash FROM user_password WHERE user_id = ${user.id} FOR UPDATE`
    if (present?.hash !== stored) throw wrong()
    if (renewed) await tx.userPassword.update({ where: { userId: user.id }, data: { hash: renewed } })
    await resetAttempts(tx, name)
    const generator = await tx.codeGenerator.findUnique({ where: { userId: user.id } })
    if (generator?.confirmedAt) return { challenge: await askForCode(tx, user.id) }
    return beginSession(tx, tools, { userId: user.id, method: 'PASSWORD', replaced: from.replaced }, from)
  })
}

const askForCode = (tx: Transaction, userId: string) =>
  makeChallenge(tx, 'SECOND_FACTOR', { userId, data: { method: 'PASSWORD' } }, CODE_MINUTES)

const wrong = () => unauthenticated('The e-mail address or the password is wrong')
