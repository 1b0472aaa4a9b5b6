import type { Database } from '../../database/client.ts'
import { asDomainError } from '../../database/errors.ts'
import type { Prisma } from '../../database/generated/prisma/client.ts'
import { databaseTime } from '../../database/time.ts'
import { unauthenticated } from '../../domain/errors.ts'
import type { Scope } from '../../domain/permissions.ts'
import { hashOfSecret, isPlausible } from '../../secrets/token-secret.ts'
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

/** The hash of the token that a header presents; null when it holds nothing that could be one. Asks nobody. */
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
  const token = await findToken(database, hash)
  if (!token || token.revokedAt) throw unauthenticated('The token in the Authorization header is not valid')
  const { expiresAt } = token
  const remainingMs = expiresAt && expiresAt.getTime() - (await databaseTime(database)).getTime()
  if (remainingMs !== null && remainingMs <= 0) throw unauthenticated('The token has expired')
  touch(database, token)
  return { caller: callerOf(token, await accountOf(database, token)), remainingMs }
}

/** What a caller is made of, besides the token. */
export const withMemberships = { user: { include: { memberships: true } } } satisfies Prisma.TokenInclude

type TokenRow = Prisma.TokenGetPayload<{ include: typeof withMemberships }>

async function findToken(database: Database, hash: string): Promise<TokenRow | null> {
  try {
    return (await findByKey(database, 'Token', { where: { hash }, include: withMemberships })) as TokenRow | null
  } catch (error) {
    throw asDomainError(error)
  }
}

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
  void database.token.updateMany({ where: { id: token.id }, data: { lastUsedAt: new Date() } }).catch(() => {})
}

export function callerOf(token: TokenRow, accountId: string | null): Caller {
  const { user } = token
  const memberships = (user?.memberships ?? []).map(({ accountId, roles, restricted, appEnvIds }) => {
    return [accountId, { roles, appEnvIds: restricted ? new Set(appEnvIds) : null }] as const
  })
  return {
    tokenId: token.id,
    kind: token.kind,
    userId: user?.id ?? null,
    appEnvId: token.appEnvId,
    accountId,
    scopes: token.kind === 'SCOPED' ? new Set(token.scopes as Scope[]) : null,
    expiresAt: token.expiresAt,
    isInstallationAdmin: user?.isInstallationAdmin ?? false,
    currentAccountId: user?.currentAccountId ?? null,
    memberships: new Map(memberships),
  }
}
