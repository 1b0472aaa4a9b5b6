import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { type Caller, userOf } from '../../calls/caller.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { requireFreshSession, type SignInFrom } from '../session/begin-session.ts'
import { makeChallenge, takeChallenge } from './challenge.ts'
import { recordSecurity } from './record-security.ts'
import type { SignInTools } from './sign-in-by-password.ts'

const CHALLENGE_MINUTES = 5
const MAX_PASSKEYS = 20
const NAME = 'Berth'

/** Most processes are never asked for it. */
export const webauthn = () => import('@simplewebauthn/server')

/** Where the browser reaches Berth, such as https://berth.example.com: devices bind a passkey to its host. */
export interface AtSite {
  site: string
}

/** What the browser asks a device for: a new passkey, which the device itself finds again and lets its person use. */
export async function offerPasskey(tools: SignInTools, caller: Caller, { site }: AtSite) {
  const { database } = tools
  await requireFreshSession(database, caller)
  const user = await database.user.findUniqueOrThrow({ where: { id: userOf(caller) }, include: { passkeys: true } })
  if (user.passkeys.length >= MAX_PASSKEYS)
    throw conflict('TOO_MANY_PASSKEYS', `You have ${MAX_PASSKEYS} passkeys, which is the most: remove one first`)
  const challenge = await makeChallenge(database, 'PASSKEY_NEW', { userId: user.id, data: {} }, CHALLENGE_MINUTES)
  const { generateRegistrationOptions } = await webauthn()
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: hostOf(site),
    userName: user.email,
    userID: new Uint8Array(Buffer.from(user.id)),
    challenge: bytesOf(challenge),
    attestationType: 'none',
    excludeCredentials: user.passkeys.map(({ credentialId: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: CHALLENGE_MINUTES * 60_000,
  })
}

interface NewPasskey extends AtSite {
  /** What the browser answered. */
  response: unknown
  name: string
}

/** Keeps the passkey that the device has made. */
export async function addPasskey(
  { database, vault }: SignInTools,
  caller: Caller,
  { site, response, name }: NewPasskey,
  from: SignInFrom,
): Promise<{ passkeyId: string }> {
  const userId = userOf(caller)
  await requireFreshSession(database, caller)
  const { verifyRegistrationResponse } = await webauthn()
  const verified = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: async (secret) => (await takeChallenge(database, 'PASSKEY_NEW', secret))?.userId === userId,
    expectedOrigin: site,
    expectedRPID: hostOf(site),
    requireUserVerification: true,
  }).catch(() => null)
  if (!verified?.verified) throw invalidField('response', 'is not what the browser was asked for: begin again')
  const { id: credentialId, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  const passkeyId = newId('pky')
  return database.$transaction(async (tx) => {
    if (await tx.passkey.findUnique({ where: { credentialId } }))
      throw invalidField('response', 'is of a passkey that is there already')
    const key = Buffer.from(publicKey).toString('base64url')
    const data = { id: passkeyId, userId, credentialId, publicKey: key, counter: BigInt(counter), transports }
    await tx.passkey.create({ data: { ...data, name, host: hostOf(site) } })
    await recordSecurity(tx, vault, { action: 'addPasskey', userId, caller, details: { passkeyId, name } }, from)
    return { passkeyId }
  })
}

export async function removePasskey(
  { database, vault }: SignInTools,
  caller: Caller,
  { passkeyId }: { passkeyId: string },
  from: SignInFrom,
): Promise<{ passkeyId: string }> {
  const userId = userOf(caller)
  await requireFreshSession(database, caller)
  return database.$transaction(async (tx) => {
    const { count } = await tx.passkey.deleteMany({ where: { id: passkeyId, userId } })
    if (count === 0) throw notFound('passkey', passkeyId)
    await recordSecurity(tx, vault, { action: 'removePasskey', userId, caller, details: { passkeyId } }, from)
    return { passkeyId }
  })
}

/** The host that a passkey is bound to. Throws CONFLICT for an address: browsers bind to names only. */
export function hostOf(site: string): string {
  const { hostname } = new URL(site)
  if (/^[\d.]+$|^\[/.test(hostname))
    throw conflict(
      'NO_HOST_NAME',
      `Passkeys belong to a host name, and ${hostname} is an address: open Berth at its name, or at localhost`,
    )
  return hostname
}

export const bytesOf = (secret: string) => new Uint8Array(Buffer.from(secret, 'base64url'))
