import { type Caller, may, permit } from '../../calls/caller.ts'
import { lockMakerOf } from '../../calls/giver.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { sendMail } from '../../network/send-mail.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { requireFreshSession, type SignInFrom } from '../session/begin-session.ts'
import { findChallenge, makeChallenge, takeChallenge } from './challenge.ts'
import { endSignIns, refuseName, storePassword } from './change-password.ts'
import { countAttempt, resetAttempts } from './count-attempts.ts'
import { recordSecurity } from './record-security.ts'
import type { SignInTools } from './sign-in-by-password.ts'

/** Where the link leads. Its secret is behind a #, so that no server sees it. */
export const RESET_PATH = '/reset-password'

const MAILED_MINUTES = 60
const GIVEN_MINUTES = 24 * 60

/**
 * Prepares a link by mail. The answer, and the work until then, are the same whether or not a user has the address;
 * `send` is for afterwards. Only where the installation's own address is configured: the address of the request can be
 * forged.
 */
export async function requestPasswordReset(
  { database, config, vault }: SignInTools,
  { email }: { email: string },
  from: SignInFrom,
): Promise<{ send: () => Promise<void> }> {
  const { BERTH_SMTP_URL: server, BERTH_API_URL: origin } = config
  if (!server || !origin)
    throw conflict('NO_MAIL', 'This installation sends no mail. Ask its admin for a link to set a password')
  const name = email.trim().toLowerCase()
  await countAttempt(database, config, { address: from.address, name: `reset ${name}` })
  const user = await database.user.findUnique({ where: { email: name } })
  const userId = user?.id ?? null
  const secret = await database.$transaction(async (tx) => {
    await recordSecurity(tx, vault, { action: 'requestPasswordReset', userId, caller: null }, from)
    return makeChallenge(tx, 'PASSWORD_RESET', { userId, data: {} }, MAILED_MINUTES)
  })
  const link = `${origin.replace(/\/$/, '')}${RESET_PATH}#${secret}`
  return {
    async send() {
      if (!user) return
      const mail = { to: [user.email], subject: 'Set a new password for Berth', text: textOf(link), id: newId('ses') }
      await sendMail(server, mail, config, AbortSignal.timeout(config.BERTH_WEBHOOK_TIMEOUT_SECONDS * 1000))
    },
  }
}

const textOf = (link: string) => `A new password for your Berth was requested, presumably by you.

${link}

The link works once, for ${MAILED_MINUTES} minutes. If it was not you, there is nothing to do.`

/** The secret of a link by which a user sets a password, for the admin to hand over. */
export async function makeResetLink(
  { database, vault }: SignInTools,
  caller: Caller,
  { email }: { email: string },
  from: SignInFrom,
): Promise<{ secret: string }> {
  permit(caller, 'installation:manage', { accountId: null })
  await requireFreshSession(database, caller)
  const user = await database.user.findUnique({ where: { email: email.trim().toLowerCase() } })
  if (!user) throw notFound('user', email)
  const { id: userId } = user
  return database.$transaction(async (tx) => {
    await recordSecurity(tx, vault, { action: 'requestPasswordReset', userId, caller }, from)
    const data = { maker: caller.tokenId }
    return { secret: await makeChallenge(tx, 'PASSWORD_RESET', { userId, data }, GIVEN_MINUTES) }
  })
}

/** Sets the password by a link, once, and ends every session of the user. The user then signs in as usual. */
export async function resetPassword(
  { database, config, vault, passwords }: SignInTools,
  { secret, password }: { secret: string; password: string },
  from: SignInFrom,
): Promise<void> {
  await countAttempt(database, config, { address: from.address, name: null })
  // Asked before the hash, which costs more than a guess.
  const found = await findChallenge(database, 'PASSWORD_RESET', secret)
  if (!found?.userId) throw ended()
  const user = await database.user.findUniqueOrThrow({ where: { id: found.userId } })
  refuseName(password, user.email)
  const hash = await passwords.hash(password)
  await database.$transaction(async (tx) => {
    const taken = await takeChallenge(tx, 'PASSWORD_RESET', secret)
    if (!taken || !(await isStillGiven(tx, taken.data))) throw ended()
    await storePassword(tx, { userId: user.id, hash })
    // Other links of the user, and sign-ins that wait for a code.
    await endSignIns(tx, user.id, null)
    await resetAttempts(tx, user.email)
    await recordSecurity(tx, vault, { action: 'resetPassword', userId: user.id, caller: null }, from)
  })
}

/** An admin’s link stays when they sign out, and ends when their token is revoked or they are admin no more. */
async function isStillGiven(tx: Transaction, { maker }: { maker?: string }): Promise<boolean> {
  const giver = maker === undefined ? undefined : await lockMakerOf(tx, maker)
  return giver === undefined || (giver !== null && may(giver, 'installation:manage', { accountId: null }))
}

const ended = () => invalidField('secret', 'is of a link that was used, is too old, or never was: ask for another one')
