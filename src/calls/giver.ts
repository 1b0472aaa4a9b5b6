import { type Authority, type Excess, excessOf, excessOfRights } from '../domain/delegation.ts'
import { DomainError, forbidden, unauthenticated } from '../domain/errors.ts'
import type { Transaction } from '../storage/database/client.ts'
import { databaseTime } from '../storage/database/time.ts'
import { callerOf, withMemberships } from './authenticate.ts'
import type { Caller } from './caller.ts'

/**
 * The caller as the database knows them now: what was read before the call waited for a lock may be more than they have
 * left. Their token cannot be revoked until the transaction ends, so a revocation sees what it has created.
 */
export async function lockGiver(tx: Transaction, { tokenId, accountId, expiresAt }: Caller): Promise<Caller> {
  const giver = await lockCallerOf(tx, tokenId, accountId)
  if (!giver) throw unauthenticated('Your token has expired or was revoked meanwhile')
  // The former secret of a rotated token ends before the token.
  const isFormer = expiresAt !== null && (giver.expiresAt === null || expiresAt < giver.expiresAt)
  return isFormer ? { ...giver, expiresAt } : giver
}

/** The same of any token; null when it has ended. */
export const lockCallerOf = (tx: Transaction, tokenId: string, accountId: string | null): Promise<Caller | null> =>
  lockCaller(tx, tokenId, accountId, 'as it is')

/** Of the token with which something was made: what was made in a session stays when its person signs out. */
export const lockMakerOf = (tx: Transaction, tokenId: string): Promise<Caller | null> =>
  lockCaller(tx, tokenId, null, 'as a maker')

async function lockCaller(tx: Transaction, tokenId: string, accountId: string | null, how: 'as it is' | 'as a maker') {
  await tx.$queryRaw`SELECT 1 FROM token WHERE id = ${tokenId} FOR SHARE`
  const token = await tx.token.findUnique({ where: { id: tokenId }, include: withMemberships })
  if (!token || token.revokedAt) return null
  const maker = how === 'as a maker' && token.kind === 'SESSION'
  const hasEnded = !maker && token.expiresAt && token.expiresAt <= (await databaseTime(tx))
  return hasEnded ? null : callerOf(token, accountId)
}

/** What a caller has in an account. Without one: in the installation, where only tokens of users are given. */
export function authorityOf(caller: Caller, accountId: string | null): Authority {
  const { scopes, expiresAt } = caller
  if (caller.isInstallationAdmin || accountId === null) return { roles: ['ADMIN'], appEnvIds: null, scopes, expiresAt }
  const { roles, appEnvIds } = caller.memberships.get(accountId) ?? { roles: [], appEnvIds: null }
  return { roles, appEnvIds, scopes, expiresAt }
}

/** Throws FORBIDDEN when what is given exceeds what the giver has. */
export function requireWithin(giver: Authority, given: Authority, noun: 'token' | 'membership'): void {
  const excess = excessOf(giver, given)
  if (!excess) return
  if (excess.of !== 'expiresAt') throw refusalOf(excess)
  const end = giver.expiresAt?.toISOString()
  if (noun === 'membership') {
    const message = `A membership has no end, and your token ends at ${end}: use a token without an end`
    throw forbidden('LIFETIME_BEYOND_OWN', message)
  }
  const fields = [{ field: 'expiresAt', message: `must be at most ${end}, when your own token ends` }]
  throw new DomainError('FORBIDDEN', 'LIFETIME_BEYOND_OWN', `expiresAt: ${fields[0]?.message}`, { fields })
}

/** Throws FORBIDDEN when what is changed or taken away exceeds what the caller has. */
export function requireNotAbove(caller: Authority, other: Authority): void {
  const excess = excessOfRights(caller, other)
  if (excess) throw refusalOf(excess)
}

function refusalOf({ of, beyond }: Excess): DomainError {
  const list = beyond.join(', ')
  if (of === 'roles') return forbidden('ROLE_BEYOND_OWN', `You cannot give or take a role that you lack: ${list}`)
  if (of === 'appEnvIds')
    return forbidden('ENVIRONMENTS_BEYOND_OWN', `You cannot give or take access to environments that you lack: ${list}`)
  return forbidden('SCOPE_BEYOND_OWN', `You cannot give or take scopes that your token lacks: ${list}`)
}
