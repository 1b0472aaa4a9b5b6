import { unauthenticated } from '../domain/errors.ts'
import type { Scope } from '../domain/permissions.ts'
import type { Database } from '../storage/database/client.ts'
import { asDomainError } from '../storage/database/errors.ts'
import type { Invitation, Prisma, Token } from '../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../storage/database/time.ts'
import { hashOfSecret, isPlausible } from '../storage/secrets/token-secret.ts'
import type { Caller } from './caller.ts'
import type { CallerCache, Found } from './caller-cache.ts'
import { findByKey } from './read.ts'

const LAST_USED_STEP_SECONDS = 60

/** The token of an Authorization header: alone (§5), or after the scheme Bearer. */
export function tokenOf(header: string | null | undefined): string | null {
  const value = header?.trim()
  if (!value) return null
  return /^bearer\s+/i.test(value) ? value.replace(/^bearer\s+/i, '') : value
}

/** The hash of the token that a header presents; null when it holds nothing that could be one. Reads no database. */
export function presentedHash(header: string | null | undefined): string | null {
  const secret = tokenOf(header)
  return secret && isPlausible(secret) ? hashOfSecret(secret) : null
}

/**
 * The caller of a request. Throws UNAUTHENTICATED for a token that is missing, unknown, expired or revoked. `known` is
 * the hash of the token, where it was computed already.
 */
export async function authenticate(
  database: Database,
  cache: CallerCache,
  header: string | null | undefined,
  known: string | null = presentedHash(header),
): Promise<Caller> {
  if (known) return cache.get(known, () => lookUp(database, known))
  const secret = tokenOf(header)
  throw unauthenticated(
    secret ? 'The token in the Authorization header is not valid' : 'Send your token in the Authorization header',
  )
}

async function lookUp(database: Database, hash: string): Promise<Found> {
  const token = (await findToken(database, hash)) ?? (await findRotated(database, hash))
  const invitation = token ? null : await asked(database.invitation.findUnique({ where: { hash } }))
  if (invitation) return { caller: invitedBy(invitation), remainingMs: null }
  if (!token || token.revokedAt) throw unauthenticated('The token in the Authorization header is not valid')
  const remainingMs = await asked(remainingOf(database, token))
  if (remainingMs !== null && remainingMs <= 0)
    throw unauthenticated(token.kind === 'SESSION' ? 'Your session has ended: sign in again' : 'The token has expired')
  touch(database, token)
  return { caller: callerOf(token, await accountOf(database, token)), remainingMs }
}

/** How long a token still works; null for ever. A session also ends when it is unused. */
async function remainingOf(database: Database, { id, kind, expiresAt }: Token): Promise<number | null> {
  if (kind !== 'SESSION') return expiresAt && expiresAt.getTime() - (await databaseTime(database)).getTime()
  const [session] = await database.$queryRaw<{ remainingMs: number }[]>`
    SELECT extract(epoch FROM least(
      t.expires_at, coalesce(t.last_used_at, t.created_at) + make_interval(mins => s.idle_minutes)
    ) - now())::float8 * 1000 AS "remainingMs"
    FROM token t JOIN session s ON s.token_id = t.id WHERE t.id = ${id}`
  return session?.remainingMs ?? 0
}

/** What a caller is made of, besides the token. */
export const withMemberships = { user: { include: { memberships: true } } } satisfies Prisma.TokenInclude

type TokenRow = Prisma.TokenGetPayload<{ include: typeof withMemberships }>

const findToken = (database: Database, hash: string): Promise<TokenRow | null> =>
  asked(findByKey(database, 'Token', { where: { hash }, include: withMemberships }) as Promise<TokenRow | null>)

/** By the secret that a token had before it was rotated, while that still works: it ends then. */
async function findRotated(database: Database, previousHash: string): Promise<TokenRow | null> {
  const found = await asked(database.token.findUnique({ where: { previousHash }, include: withMemberships }))
  if (!found?.previousUntil) return null
  const { previousUntil, expiresAt } = found
  return { ...found, expiresAt: expiresAt && expiresAt < previousUntil ? expiresAt : previousUntil }
}

const asked = <Found>(finding: Promise<Found>): Promise<Found> =>
  finding.catch((error) => {
    throw asDomainError(error)
  })

/** Of the environment that an environment token belongs to. */
async function accountOf(database: Database, { appEnvId }: TokenRow): Promise<string | null> {
  if (appEnvId === null) return null
  const appEnv = await database.appEnv.findUnique({ where: { id: appEnvId }, select: { accountId: true } })
  return appEnv?.accountId ?? null
}

/** Coarse on purpose, so that reads do not turn into writes. A lost update only makes the time older. */
function touch(database: Database, token: TokenRow): void {
  const age = token.lastUsedAt ? Date.now() - token.lastUsedAt.getTime() : Number.POSITIVE_INFINITY
  if (age < LAST_USED_STEP_SECONDS * 1000) return
  void database.$executeRaw`UPDATE token SET last_used_at = now() WHERE id = ${token.id}`.catch(() => {})
}

/**
 * The caller who presents the secret of an invitation. Admitted in every state of the invitation, so that a repeated call
 * gets its first answer; accepting is its only permission.
 */
const invitedBy = ({ id, accountId }: Invitation): Caller => ({
  tokenId: id,
  kind: 'INVITATION',
  accountId,
  userId: null,
  appEnvId: null,
  scopes: null,
  expiresAt: null,
  isInstallationAdmin: false,
  currentAccountId: null,
  memberships: new Map(),
})

export function callerOf(token: TokenRow, accountId: string | null): Caller {
  const { user } = token
  return {
    tokenId: token.id,
    kind: token.kind,
    userId: user?.id ?? null,
    appEnvId: token.appEnvId,
    accountId,
    scopes: token.kind === 'SCOPED' ? new Set(token.scopes as Scope[]) : null,
    // A session is the person, not something that was passed on: what is made in it may outlive it.
    expiresAt: token.kind === 'SESSION' ? null : token.expiresAt,
    isInstallationAdmin: user?.isInstallationAdmin ?? false,
    currentAccountId: user?.currentAccountId ?? null,
    memberships: grantsOf(user),
  }
}

type UserRow = NonNullable<TokenRow['user']>

function grantsOf(user: UserRow | null): Caller['memberships'] {
  const memberships = (user?.memberships ?? []).map(({ accountId, roles, restricted, appEnvIds }) => {
    return [accountId, { roles, appEnvIds: restricted ? new Set(appEnvIds) : null }] as const
  })
  return new Map(memberships)
}

/** A user as the caller of what they once asked for, with all that they may do now; `actor` does it for them. */
export const callerForUser = (user: UserRow, actor: string): Caller => ({
  tokenId: actor,
  kind: 'USER',
  userId: user.id,
  appEnvId: null,
  accountId: null,
  scopes: null,
  expiresAt: null,
  isInstallationAdmin: user.isInstallationAdmin,
  currentAccountId: null,
  memberships: grantsOf(user),
})
