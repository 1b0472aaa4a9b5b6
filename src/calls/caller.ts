import { DomainError, forbidden } from '../domain/errors.ts'
import {
  type Permission,
  type RoleName,
  RULES,
  rolesAllow,
  rolesFor,
  type Scope,
  scopesNeeded,
} from '../domain/permissions.ts'

export interface MembershipGrant {
  roles: RoleName[]
  /** Environments the member is restricted to; null means all. */
  appEnvIds: ReadonlySet<string> | null
}

/** The caller, as far as decisions need it. Both APIs create it in the same way, from the same header. */
export interface Caller {
  tokenId: string
  kind: 'USER' | 'SCOPED' | 'ENVIRONMENT' | 'INVITATION' | 'SESSION'
  /** Null for an environment token and for an invitation. */
  userId: string | null
  /** The one environment of an environment token. */
  appEnvId: string | null
  /** The account of that environment, or of an invitation. */
  accountId: string | null
  scopes: ReadonlySet<Scope> | null
  /** When the token ends; null for never. What it makes ends no later. */
  expiresAt: Date | null
  isInstallationAdmin: boolean
  currentAccountId: string | null
  memberships: ReadonlyMap<string, MembershipGrant>
}

/** The object of a call, as far as permission depends on it. `accountId` null: the installation itself. */
export interface Scoped {
  accountId: string | null
  appEnvId?: string
}

/** The user behind the call; throws for environment tokens and invitations, which have none. */
export function userOf(caller: Caller): string {
  if (caller.kind === 'INVITATION') throw acceptsOnly()
  if (!caller.userId)
    throw forbidden('USER_TOKEN_REQUIRED', 'This call needs a user token; an environment token is not enough')
  return caller.userId
}

const acceptsOnly = () =>
  forbidden('USER_TOKEN_REQUIRED', 'The secret of an invitation accepts it, and does nothing else')

/**
 * Throws FORBIDDEN unless the caller may. The only function that combines tenancy, roles, scopes and kinds of token.
 */
export function permit(caller: Caller, permission: Permission, on: Scoped): void {
  const refusal = refusalOf(caller, permission, on)
  if (refusal) throw refusal
}

export const may = (caller: Caller, permission: Permission, on: Scoped): boolean => !refusalOf(caller, permission, on)

/** Whether there is anything at all on which the caller may. */
export function mayAnywhere(caller: Caller, permission: Permission): boolean {
  const own = { accountId: caller.accountId, appEnvId: caller.appEnvId ?? undefined }
  const shared = [...caller.memberships].map(([accountId, { appEnvIds }]) => {
    const [appEnvId] = appEnvIds ?? []
    return { accountId, appEnvId }
  })
  return [own, ...shared].some((on) => may(caller, permission, on))
}

function refusalOf(caller: Caller, permission: Permission, on: Scoped): DomainError | null {
  const rule = RULES[permission]
  if (caller.kind === 'ENVIRONMENT') {
    if (!rule.environmentToken)
      return forbidden(
        'USER_TOKEN_REQUIRED',
        'An environment token may operate and watch its own environment, and nothing else',
      )
    if (on.appEnvId !== caller.appEnvId)
      return forbidden('OTHER_ENVIRONMENT', 'This token belongs to another environment')
    return null
  }
  if (caller.kind === 'INVITATION') {
    if (rule.invitation && on.accountId === caller.accountId) return null
    return acceptsOnly()
  }
  const missing = scopesNeeded(rule).find((scope) => !hasScope(caller, scope))
  if (missing) return forbidden('SCOPE_MISSING', `This token lacks the scope ${missing}`)
  if (caller.isInstallationAdmin || rule.roles === 'anyone') return null
  if (on.accountId === null)
    return forbidden('INSTALLATION_ADMIN_REQUIRED', 'Only the admin of the installation may do this')
  const grant = caller.memberships.get(on.accountId)
  if (!grant) return forbidden('NOT_A_MEMBER', 'You are not a member of the account that this belongs to')
  if (!rolesAllow(permission, grant.roles)) {
    return forbidden('ROLE_MISSING', `This needs the role ${rolesFor(permission)} in the account`)
  }
  return restrictionOf(grant, permission, on)
}

/** Every scope includes reading. */
const hasScope = ({ scopes }: Caller, scope: Scope): boolean =>
  scopes === null || scopes.has(scope) || (scope === 'svc:read' && scopes.size > 0)

/**
 * A call that is not about one environment concerns all of them: a change of an app reaches each of its environments.
 */
function restrictionOf(grant: MembershipGrant, permission: Permission, on: Scoped): DomainError | null {
  if (grant.appEnvIds === null) return null
  if (on.appEnvId === undefined) {
    if (RULES[permission].scope === 'svc:read' || RULES[permission].ownMembership) return null
    return forbidden('OTHER_ENVIRONMENT', 'Your membership is restricted to some environments, and this reaches beyond')
  }
  if (grant.appEnvIds.has(on.appEnvId)) return null
  return forbidden('OTHER_ENVIRONMENT', 'Your membership is restricted to other environments of the account')
}

/** The account of a list when the caller names none (§7: 404 when there is no current account). */
export function accountOrCurrent(caller: Caller, accountId: string | null | undefined): string {
  if (accountId) return accountId
  userOf(caller)
  if (caller.currentAccountId) return caller.currentAccountId
  throw new DomainError('NOT_FOUND', 'NO_CURRENT_ACCOUNT', 'accountId was not given and you have no current account')
}

/** Environments of an account that the caller may see: all of them (null) or those of a restricted membership. */
export function visibleAppEnvIds(caller: Caller, accountId: string): ReadonlySet<string> | null {
  if (caller.isInstallationAdmin) return null
  return caller.memberships.get(accountId)?.appEnvIds ?? null
}
