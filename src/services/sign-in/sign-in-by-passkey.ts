import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { unauthenticated } from '../../domain/errors.ts'
import type { Passkey } from '../../storage/database/generated/prisma/client.ts'
import { type BegunSession, beginSession } from '../session/begin-session.ts'
import { makeChallenge, takeChallenge } from './challenge.ts'
import { countAttempt } from './count-attempts.ts'
import { type AtSite, bytesOf, hostOf, webauthn } from './passkeys.ts'
import { recordSecurity } from './record-security.ts'
import type { Arrived, SignInTools } from './sign-in-by-password.ts'

const CHALLENGE_MINUTES = 5

/** What the browser asks its devices for: any passkey of this host. It says nothing of who has one. */
export async function askForPasskey({ database }: SignInTools, { site }: AtSite) {
  const challenge = await makeChallenge(database, 'PASSKEY_SIGN_IN', { userId: null, data: {} }, CHALLENGE_MINUTES)
  const { generateAuthenticationOptions } = await webauthn()
  return generateAuthenticationOptions({
    rpID: hostOf(site),
    challenge: bytesOf(challenge),
    userVerification: 'required',
    timeout: CHALLENGE_MINUTES * 60_000,
  })
}

/**
 * Begins a session by a passkey. The device has asked for a fingerprint or a PIN, so that it is two factors,
 * and no code is asked for.
 */
export async function signInByPasskey(
  tools: SignInTools,
  { site, response }: AtSite & { response: unknown },
  from: Arrived,
): Promise<BegunSession> {
  const { database, config, vault } = tools
  await countAttempt(database, config, { address: from.address, name: null })
  const { id } = response as { id?: unknown }
  const passkey = typeof id === 'string' ? await database.passkey.findUnique({ where: { credentialId: id } }) : null
  const counter = passkey && (await proved(tools, passkey, { site, response }))
  if (!passkey || counter === null) {
    const failed = { action: 'signInFailed', userId: passkey?.userId ?? null, caller: null } as const
    await database.$transaction((tx) => recordSecurity(tx, vault, { ...failed, details: { method: 'PASSKEY' } }, from))
    throw refused()
  }
  return database.$transaction(async (tx) => {
    // Neither removed nor used meanwhile.
    const used = await tx.$executeRaw`
      UPDATE passkey SET counter = ${counter}, last_used_at = now() WHERE id = ${passkey.id} AND counter = ${passkey.counter}`
    if (used === 0) throw refused()
    return beginSession(tx, tools, { userId: passkey.userId, method: 'PASSKEY', replaced: from.replaced }, from)
  })
}

const refused = () => unauthenticated('Berth does not know this passkey, or it did not answer what it was asked')

/** The new counter, if the device has signed our challenge with the passkey's key; otherwise null. */
async function proved(
  { database }: SignInTools,
  { credentialId, publicKey, counter, transports, host }: Passkey,
  { site, response }: AtSite & { response: unknown },
): Promise<bigint | null> {
  if (host !== hostOf(site)) return null
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: async (secret) => (await takeChallenge(database, 'PASSKEY_SIGN_IN', secret)) !== null,
    expectedOrigin: site,
    expectedRPID: host,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: Number(counter), transports },
  }).catch(() => null)
  return verified?.verified ? BigInt(verified.authenticationInfo.newCounter) : null
}
