import {
  type Permission,
  type RoleName,
  RULES,
  rolesAllow,
  type Scope,
  scopesNeeded,
} from '../../../src/domain/permissions.ts'

/** What each permission lets a person do. */
const WORDS: Readonly<Record<Permission, string>> = {
  'user:read': 'read your own user and what you are a member of',
  'catalogue:read': 'read plans, regions, presets and solutions',
  'token:own': 'create, rotate and revoke your own tokens',
  'installation:manage': 'administer the installation',
  'account:read': 'read the account, its members, its usage and its budget',
  'account:change': 'rename and delete the account',
  'account:transfer': 'hand the account over to another member',
  'account:leave': 'leave the account',
  'app:read': 'read apps',
  'app:change': 'create and change apps',
  'app:delete': 'delete apps',
  'appEnv:read': 'read environments: their settings, versions and logs',
  'appEnv:observe': 'see what runs and how it fares',
  'appEnv:change': 'create and change environments, their variables and their hosts',
  'appEnv:operate': 'deploy, build, roll back, restart, start and stop',
  'appEnv:exec': 'open a shell in containers, and tunnels to them',
  'appEnv:delete': 'delete environments and volumes',
  'operation:read': 'follow operations',
  'jobRun:read': 'read job runs',
  'jobRun:operate': 'start, cancel and repeat job runs',
  'jobSchedule:change': 'change the schedules of jobs',
  'variable:reveal': 'read the values of secret variables',
  'credentials:refer': 'give the login of a database to other environments by a variable',
  'credentials:reveal': 'read the login of a database',
  'credentials:rotate': 'change the login of a database',
  'member:manage': 'invite, change and remove members',
  'invitation:accept': 'accept invitations',
  'token:manage': 'manage the tokens of environments',
  'backup:read': 'read backups',
  'backup:create': 'create and verify backups',
  'backup:restore': 'restore backups',
  'backup:download': 'download backups, with all their data',
  'backup:delete': 'delete backups',
  'credential:manage': 'create, change and delete credentials of registries and storage',
  'solution:install': 'install and upgrade solutions',
  'solution:remove': 'remove solutions',
  'webhook:manage': 'read and manage webhooks',
  'budget:manage': 'set the budget',
  'gitHook:manage': 'manage git hooks, and what pushes deploy',
  'audit:read': 'read the audit log',
}

const PERMISSIONS = Object.keys(WORDS) as Permission[]

/** Every role that a rule names. */
export const ROLES: readonly RoleName[] = [
  'ADMIN',
  ...new Set(Object.values(RULES).flatMap(({ roles }) => (typeof roles === 'string' ? [] : roles))),
]

/** What every member may do, whatever their roles. */
export const ofAnyRole = (): string[] => PERMISSIONS.filter((name) => RULES[name].roles === 'member').map(wordsFor)

/** What a role may do that not every member may. */
export function ofRole(role: RoleName): string[] {
  const own = PERMISSIONS.filter((name) => typeof RULES[name].roles !== 'string' && name !== 'installation:manage')
  return own.filter((name) => rolesAllow(name, [role])).map(wordsFor)
}

/** In a line: ADMIN may do everything, and some of it alone. */
export function roleText(role: RoleName): string {
  if (role === 'ADMIN') return sentence(['all that the other roles may', ...ofAdminAlone()])
  return sentence(ofRole(role))
}

/** What a token with a scope may do, as far as the roles of its user reach. */
export const scopeText = (scope: Scope): string =>
  sentence(PERMISSIONS.filter((name) => scopesNeeded(RULES[name]).includes(scope)).map(wordsFor))

/** What only admins may do. */
const ofAdminAlone = (): string[] =>
  PERMISSIONS.filter((name) => name !== 'installation:manage' && RULES[name].roles.length === 0).map(wordsFor)

const wordsFor = (name: Permission) => WORDS[name]

/** `read apps; deploy` as "Read apps; deploy." */
export function sentence(parts: readonly string[]): string {
  const text = parts.join('; ')
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
