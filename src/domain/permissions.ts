/** Permissions of callers, `noun:verb`. Only the table below decides who may do what. */
export type Permission =
  | 'user:read'
  | 'catalogue:read'
  | 'token:own'
  | 'installation:manage'
  | 'account:read'
  | 'account:change'
  | 'account:transfer'
  | 'account:leave'
  | 'app:read'
  | 'app:change'
  | 'app:delete'
  | 'appEnv:read'
  | 'appEnv:observe'
  | 'appEnv:change'
  | 'appEnv:operate'
  | 'appEnv:exec'
  | 'appEnv:delete'
  | 'operation:read'
  | 'jobRun:read'
  | 'jobRun:operate'
  | 'jobSchedule:change'
  | 'variable:reveal'
  | 'credentials:refer'
  | 'credentials:reveal'
  | 'credentials:rotate'
  | 'member:manage'
  | 'invitation:accept'
  | 'token:manage'
  | 'backup:read'
  | 'backup:create'
  | 'backup:restore'
  | 'backup:download'
  | 'backup:delete'
  | 'credential:manage'
  | 'solution:install'
  | 'solution:remove'
  | 'webhook:manage'
  | 'budget:manage'
  | 'gitHook:manage'
  | 'audit:read'

export type RoleName =
  | 'ADMIN'
  | 'TECHNICAL'
  | 'BILLING'
  | 'POD_ACCESS'
  | 'MANAGE_MEMBERS'
  | 'AUDIT'
  | 'MANAGE_CREDENTIALS'

export const SCOPES = ['svc:read', 'svc:read:secrets', 'svc:write:config', 'svc:write:deploy', 'svc:admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Rule {
  /** Roles that carry the permission; ADMIN carries every one. `member`: any role at all. `anyone`: any user. */
  roles: RoleName[] | 'member' | 'anyone'
  /** The scope that a scoped token needs in addition. */
  scope: Scope
  /** An environment token may do it to its own environment. */
  environmentToken?: true
  /** The secret of an invitation may do it to its own account. */
  invitation?: true
  /** It concerns the caller's own membership, so a restriction to some environments is none here. */
  ownMembership?: true
  /** A scope that is needed besides. */
  alsoScope?: Scope
}

export const RULES: Readonly<Record<Permission, Rule>> = {
  // The user's own data, and catalogues.
  'user:read': { roles: 'anyone', scope: 'svc:read' },
  'catalogue:read': { roles: 'anyone', scope: 'svc:read' },
  'token:own': { roles: 'anyone', scope: 'svc:read' },
  // No role of an account reaches beyond it: only the installation's admin passes.
  'installation:manage': { roles: [], scope: 'svc:admin' },
  'account:read': { roles: 'member', scope: 'svc:read' },
  'account:change': { roles: [], scope: 'svc:admin' },
  'account:transfer': { roles: [], scope: 'svc:admin' },
  'account:leave': { roles: 'member', scope: 'svc:admin', ownMembership: true },
  'app:read': { roles: 'member', scope: 'svc:read' },
  'app:change': { roles: ['TECHNICAL'], scope: 'svc:write:config' },
  'app:delete': { roles: [], scope: 'svc:admin' },
  'appEnv:read': { roles: 'member', scope: 'svc:read' },
  // What runs and how it fares: deployment scripts poll it with the token that they deploy with. Not the configuration.
  'appEnv:observe': { roles: 'member', scope: 'svc:read', environmentToken: true },
  'appEnv:change': { roles: ['TECHNICAL'], scope: 'svc:write:config' },
  'appEnv:operate': { roles: ['TECHNICAL'], scope: 'svc:write:deploy', environmentToken: true },
  // A shell sees every secret of its container; who may read secrets alone must not run anything.
  'appEnv:exec': { roles: ['POD_ACCESS'], scope: 'svc:read:secrets', alsoScope: 'svc:write:deploy' },
  'appEnv:delete': { roles: [], scope: 'svc:admin' },
  // A caller that may start an operation must be able to see how it ended.
  'operation:read': { roles: 'member', scope: 'svc:read', environmentToken: true },
  'jobRun:read': { roles: 'member', scope: 'svc:read', environmentToken: true },
  'jobRun:operate': { roles: ['TECHNICAL'], scope: 'svc:write:deploy', environmentToken: true },
  'jobSchedule:change': { roles: ['TECHNICAL'], scope: 'svc:write:config' },
  'variable:reveal': { roles: [], scope: 'svc:read:secrets' },
  // A variable that names them gives them to the containers of the environment that has it, and to its job runs.
  'credentials:refer': { roles: ['TECHNICAL'], scope: 'svc:read:secrets' },
  'credentials:reveal': { roles: [], scope: 'svc:read:secrets' },
  'credentials:rotate': { roles: [], scope: 'svc:write:deploy' },
  'member:manage': { roles: ['MANAGE_MEMBERS'], scope: 'svc:admin' },
  // The secret is what permits it; a scoped token must not widen what its user may do.
  'invitation:accept': { roles: 'anyone', scope: 'svc:admin', invitation: true },
  'token:manage': { roles: [], scope: 'svc:admin' },
  'backup:read': { roles: 'member', scope: 'svc:read' },
  'backup:create': { roles: ['TECHNICAL'], scope: 'svc:write:deploy', environmentToken: true },
  'backup:restore': { roles: ['TECHNICAL'], scope: 'svc:write:deploy' },
  // All data of a service, decrypted.
  'backup:download': { roles: [], scope: 'svc:read:secrets' },
  'backup:delete': { roles: [], scope: 'svc:admin' },
  'credential:manage': { roles: ['MANAGE_CREDENTIALS'], scope: 'svc:write:config' },
  // It begins deployments too, so a scoped token needs svc:write:deploy besides (§5 rule 6).
  'solution:install': { roles: [], scope: 'svc:write:config' },
  'solution:remove': { roles: [], scope: 'svc:admin' },
  // Events of every environment, and answers of receivers: reading them is no less.
  'webhook:manage': { roles: [], scope: 'svc:admin' },
  'budget:manage': { roles: ['BILLING'], scope: 'svc:admin' },
  // The secret of a hook decides what is built where pushes deploy.
  'gitHook:manage': { roles: ['TECHNICAL'], scope: 'svc:write:config' },
  'audit:read': { roles: ['AUDIT'], scope: 'svc:read' },
}

/** The scopes that a scoped token needs, all of them. */
export const scopesNeeded = ({ scope, alsoScope }: Rule): Scope[] => (alsoScope ? [scope, alsoScope] : [scope])

export function rolesAllow(permission: Permission, roles: readonly RoleName[]): boolean {
  const allowed = RULES[permission].roles
  if (allowed === 'anyone' || roles.includes('ADMIN')) return true
  return allowed === 'member' ? roles.length > 0 : allowed.some((role) => roles.includes(role))
}

/** The roles that would be enough, in words for an error message. */
export function rolesFor(permission: Permission): string {
  const { roles } = RULES[permission]
  return typeof roles === 'string' ? 'any role in the account' : ['ADMIN', ...roles].join(' or ')
}
