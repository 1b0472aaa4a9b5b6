import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Caller, userOf } from '../../calls/caller.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import { requireFreshSession, type SignInFrom } from '../session/begin-session.ts'
import { countAttempt, resetAttempts } from './count-attempts.ts'
import { recordSecurity } from './record-security.ts'
import type { SignInTools } from './sign-in-by-password.ts'

/** What every app for codes supports; more digits and other hashes are ignored by some. */
const KIND = { issuer: 'Berth', algorithm: 'SHA1', digits: 6, period: 30 } as const
const SECRET_BYTES = 20
/** Phones' clocks are a little wrong: the code before and the one after work too. */
const WINDOW = 1
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

const generatorOf = (secret: string, label = '') => new TOTP({ ...KIND, label, secret: Secret.fromBase32(secret) })

/** A new secret for the caller's phone. No sign-in asks for codes of it before one has shown that the phone has it. */
export async function offerCodes(
  { database, vault }: SignInTools,
  caller: Caller,
): Promise<{ secret: string; uri: string }> {
  const userId = userOf(caller)
  await requireFreshSession(database, caller)
  const { email } = await database.user.findUniqueOrThrow({ where: { id: userId } })
  const secret = new Secret({ size: SECRET_BYTES }).base32
  const sealed = vault.sealCodeSecret(userId, secret)
  const offered = await database.$executeRaw`
    INSERT INTO code_generator AS g (user_id, sealed_secret) VALUES (${userId}, ${sealed})
    ON CONFLICT (user_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = 0
    WHERE g.confirmed_at IS NULL`
  if (offered === 0) throw conflict('CODES_ASKED_ALREADY', 'Signing in asks for codes already: switch that off first')
  return { secret, uri: generatorOf(secret, email).toString() }
}

/** From now on signing in by password asks for a code. Answers recovery codes, which nothing shows again. */
export async function confirmCodes(
  { database, config, vault }: SignInTools,
  caller: Caller,
  { code }: { code: string },
  from: SignInFrom,
): Promise<{ recoveryCodes: string[] }> {
  const userId = userOf(caller)
  await requireFreshSession(database, caller)
  await countAttempt(database, config, { address: from.address, name: codeName(userId) })
  return database.$transaction(async (tx) => {
    if (!(await acceptCode({ tx, vault }, userId, code))) throw wrongCode()
    const confirmed = await tx.codeGenerator.updateMany({
      where: { userId, confirmedAt: null },
      data: { confirmedAt: await databaseTime(tx) },
    })
    if (confirmed.count === 0) throw conflict('CODES_ASKED_ALREADY', 'Signing in asks for codes already')
    const recoveryCodes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    await tx.recoveryCode.deleteMany({ where: { userId } })
    await tx.recoveryCode.createMany({
      data: recoveryCodes.map((code) => ({ userId, hash: recoveryHash(userId, code) })),
    })
    await resetAttempts(tx, codeName(userId))
    await recordSecurity(tx, vault, { action: 'addCodeGenerator', userId, caller }, from)
    return { recoveryCodes }
  })
}

/** Signing in asks for no codes any more. */
export async function removeCodes(
  { database, vault }: SignInTools,
  caller: Caller,
  from: SignInFrom,
): Promise<{ removed: boolean }> {
  const userId = userOf(caller)
  await requireFreshSession(database, caller)
  return database.$transaction(async (tx) => {
    const { count } = await tx.codeGenerator.deleteMany({ where: { userId } })
    await tx.recoveryCode.deleteMany({ where: { userId } })
    if (count > 0) await recordSecurity(tx, vault, { action: 'removeCodeGenerator', userId, caller }, from)
    return { removed: count > 0 }
  })
}

/** Whether it is a code of the user's phone that was not used yet; then it is. */
export async function acceptCode(
  { tx, vault }: Pick<SignInTools, 'vault'> & { tx: Transaction },
  userId: string,
  code: string,
): Promise<boolean> {
  const [generator] = await tx.$queryRaw<{ sealedSecret: string; lastStep: bigint }[]>`
    SELECT sealed_secret AS "sealedSecret", last_step AS "lastStep" FROM code_generator
    WHERE user_id = ${userId} FOR UPDATE`
  if (!generator) return false
  const timestamp = (await databaseTime(tx)).getTime()
  const delta = generatorOf(vault.openCodeSecret(userId, generator.sealedSecret)).validate({
    token: code.replaceAll(/\s/g, ''),
    timestamp,
    window: WINDOW,
  })
  if (delta === null) return false
  const step = BigInt(Math.floor(timestamp / 1000 / KIND.period) + delta)
  if (step <= generator.lastStep) return false
  await tx.codeGenerator.update({ where: { userId }, data: { lastStep: step } })
  return true
}

/** Whether it is a recovery code of the user; then it is one no more. */
export async function acceptRecoveryCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const { count } = await tx.recoveryCode.deleteMany({ where: { userId, hash: recoveryHash(userId, code) } })
  return count > 0
}

/** The key by which attempts at a user's codes are counted. */
export const codeName = (userId: string): string => `code ${userId}`

const wrongCode = () => invalidField('code', 'is not the code that your phone shows now, or was used already')

/** Ten bytes: too many to be guessed, so that a plain hash is enough. Of four groups, to be written down. */
const newRecoveryCode = (): string => (randomBytes(RECOVERY_BYTES).toString('hex').match(/.{5}/g) ?? []).join('-')

const recoveryHash = (userId: string, code: string): string =>
  hashOfSecret(`${userId} ${code.toLowerCase().replaceAll(/[^0-9a-f]/g, '')}`)
