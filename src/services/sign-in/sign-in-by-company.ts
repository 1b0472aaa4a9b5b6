import { randomBytes } from 'node:crypto'
import type { Caller } from '../../calls/caller.ts'
import { conflict, DomainError, forbidden, unauthenticated } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { hashOfSecret } from '../../storage/secrets/token-secret.ts'
import { type BegunSession, beginSession, requireFreshSession } from '../session/begin-session.ts'
import { keepChallenge, takeChallenge } from './challenge.ts'
import type { Bound, Identity } from './company-provider.ts'
import { countAttempt } from './count-attempts.ts'
import { recordSecurity } from './record-security.ts'
import type { Arrived, SignInTools } from './sign-in-by-password.ts'

export const COMPANY_MINUTES = 15
const SECRET_BYTES = 32

interface Asked {
  /** Where the provider sends the browser back to. */
  redirectUri: string
  /** Where the person wanted to go. */
  next: string
}

/**
 * Sends a browser to the company's provider; with a caller, to connect its account to their user. `secret` is for a cookie: only this browser can come back.
 */
export async function askCompany(
  { database, company }: SignInTools,
  caller: Caller | null,
  { redirectUri, next }: Asked,
): Promise<{ location: URL; secret: string }> {
  if (caller) await requireFreshSession(database, caller)
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const location = await company.authorizationUrl(boundTo(secret), redirectUri)
  await keepChallenge(
    database,
    'COMPANY',
    { userId: caller?.userId ?? null, data: { next } },
    { secret, minutes: COMPANY_MINUTES },
  )
  return { location, secret }
}

/** All that the provider gives back follows from the secret, so that none of it is stored. */
const boundTo = (secret: string): Bound => ({
  state: hashOfSecret(`state ${secret}`),
  nonce: hashOfSecret(`nonce ${secret}`),
  codeVerifier: hashOfSecret(`verifier ${secret}`),
})

interface Returned {
  secret: string | null
  /** The address that the browser came back to, with what the provider has added. */
  returnedTo: URL
}

/** Begins a session of whom the provider names, if they are let in. */
export async function signInByCompany(
  tools: SignInTools,
  { secret, returnedTo }: Returned,
  from: Arrived,
): Promise<{ begun: BegunSession; next: string }> {
  const { database, config, vault, company } = tools
  await countAttempt(database, config, { address: from.address, name: null })
  const challenge = secret && (await takeChallenge(database, 'COMPANY', secret))
  if (!challenge) throw unauthenticated('This browser has not asked, or too long ago: begin again')
  const identity = await company.identify(boundTo(secret), returnedTo)
  try {
    const begun = await database.$transaction(async (tx) => {
      const userId = await userFor(tx, identity, challenge.userId)
      return beginSession(tx, tools, { userId, method: 'OIDC', replaced: from.replaced }, from)
    })
    return { begun, next: challenge.data.next }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'FORBIDDEN') {
      const failed = { action: 'signInFailed', userId: null, caller: null, details: { method: 'OIDC' } } as const
      await database.$transaction((tx) => recordSecurity(tx, vault, failed, from))
    }
    throw error
  }
}

/**
 * The user with the provider's own id; else the user who asked to connect it; else the user with the address that the
 * provider has verified; else a user who is invited to that address. Throws FORBIDDEN for others.
 */
async function userFor(tx: Transaction, { issuer, subject, email }: Identity, asked: string | null): Promise<string> {
  const known = await tx.companyIdentity.findUnique({ where: { issuer_subject: { issuer, subject } } })
  if (known && asked && known.userId !== asked)
    throw conflict('IDENTITY_TAKEN', 'This account of your company is connected to another user here')
  if (known) return known.userId
  const userId = asked ?? (await userWith(tx, email))
  await tx.companyIdentity.create({ data: { issuer, subject, userId } })
  return userId
}

async function userWith(tx: Transaction, email: string | null): Promise<string> {
  if (!email) throw noUser('has verified no e-mail address of yours')
  const user = await tx.user.findUnique({ where: { email } })
  // Another person may have accepted an invitation to this address, and have a token of the user.
  if (user?.isInvited)
    throw forbidden(
      'ADDRESS_UNPROVED',
      `The user ${email} came by an invitation: sign in otherwise, and connect the account of your company`,
    )
  return user?.id ?? newUserFor(tx, email)
}

/** The address is proved, so that it is no invited user; memberships come with the links of the invitations. */
async function newUserFor(tx: Transaction, email: string): Promise<string> {
  const [open] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM invitation
    WHERE email = ${email} AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now() LIMIT 1`
  if (!open)
    throw noUser(`says that you are ${email}, and no user of this installation has this address or an invitation to it`)
  const { id } = await tx.user.create({ data: { id: newId('usr'), email, username: email.split('@')[0] ?? email } })
  return id
}

const noUser = (what: string) => forbidden('NO_USER', `Your company’s account ${what}: ask for an invitation`)
