import { type Permission, type RoleName, RULES, rolesAllow, type Scope, scopesNeeded } from './permissions.ts'

/** The rights in one account that can be passed on. Null: without a limit. */
export interface Authority {
  roles: readonly RoleName[]
  appEnvIds: ReadonlySet<string> | null
  scopes: ReadonlySet<Scope> | null
  /** When it expires. */
  expiresAt: Date | null
}

/** How what is given exceeds what the giver has: the first of these that does, and the values beyond. */
export interface Excess {
  of: 'roles' | 'appEnvIds' | 'scopes' | 'expiresAt'
  beyond: string[]
}

/**
 * The delegation rule: what is given never exceeds what the giver has, in roles, environments, scopes and lifetime.
 * Null when it does not.
 */
export function excessOf(giver: Authority, given: Authority): Excess | null {
  const beyond = excessOfRights(giver, given)
  if (beyond || !outlives(given.expiresAt, giver.expiresAt)) return beyond
  return { of: 'expiresAt', beyond: [given.expiresAt?.toISOString() ?? 'without an end'] }
}

/**
 * The same for what is taken away: one may end only what one could have given. Lifetime does not count, because a token
 * that ends soon must be able to revoke a stolen one without an end.
 */
export function excessOfRights(giver: Authority, taken: Authority): Excess | null {
  const roles = giver.roles.includes('ADMIN') ? [] : taken.roles.filter((role) => !giver.roles.includes(role))
  if (roles.length > 0) return { of: 'roles', beyond: roles }
  const appEnvIds = beyondSet(giver.appEnvIds, taken.appEnvIds)
  if (appEnvIds.length > 0) return { of: 'appEnvIds', beyond: appEnvIds }
  // Every scope includes reading: `permit` decides the same.
  const scopes = beyondSet(giver.scopes, taken.scopes).filter((scope) => scope !== 'svc:read')
  return scopes.length > 0 ? { of: 'scopes', beyond: scopes } : null
}

function beyondSet<Item extends string>(own: ReadonlySet<Item> | null, given: ReadonlySet<Item> | null): string[] {
  if (own === null) return []
  return given === null ? ['all of them'] : [...given].filter((item) => !own.has(item))
}

const outlives = (given: Date | null, own: Date | null): boolean => own !== null && (given === null || given > own)

/** The scopes that a token would need for everything that the roles allow: who has a role can make such tokens. */
export function scopesOf(roles: readonly RoleName[]): ReadonlySet<Scope> {
  const permissions = Object.keys(RULES) as Permission[]
  return new Set(permissions.filter((name) => rolesAllow(name, roles)).flatMap((name) => scopesNeeded(RULES[name])))
}

/** A membership, which has no end. */
export const membershipAuthority = (roles: readonly RoleName[], appEnvIds: ReadonlySet<string> | null): Authority => ({
  roles,
  appEnvIds,
  scopes: scopesOf(roles),
  expiresAt: null,
})

/** A token of one environment: it operates it as a TECHNICAL member would. */
export const appEnvTokenAuthority = (appEnvId: string, expiresAt: Date | null): Authority => ({
  roles: ['TECHNICAL'],
  appEnvIds: new Set([appEnvId]),
  scopes: new Set(
    Object.values(RULES)
      .filter((rule) => rule.environmentToken)
      .flatMap(scopesNeeded),
  ),
  expiresAt,
})

/** A token of a user: the rights of its user whenever it is used, narrowed by its scopes. */
export const userTokenAuthority = (
  user: Pick<Authority, 'roles' | 'appEnvIds'>,
  scopes: ReadonlySet<Scope> | null,
  expiresAt: Date | null,
): Authority => ({ roles: user.roles, appEnvIds: user.appEnvIds, scopes, expiresAt })

/** An account needs one: only such a member can give back what others lost. */
export const isWholeAdmin = ({ roles, appEnvIds }: Authority): boolean => roles.includes('ADMIN') && appEnvIds === null
