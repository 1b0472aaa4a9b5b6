import { describe, expect, test } from 'vitest'
import { type Caller, may } from '../../src/calls/caller.ts'
import { type Permission, type RoleName, RULES, rolesAllow } from '../../src/domain/permissions.ts'

const scope = { accountId: 'acc_1', appEnvId: 'env_1' }

const member = (roles: RoleName[], more: Partial<Caller> = {}): Caller => ({
  tokenId: 'tok_1',
  kind: 'USER',
  userId: 'usr_1',
  appEnvId: null,
  accountId: null,
  scopes: null,
  expiresAt: null,
  isInstallationAdmin: false,
  currentAccountId: 'acc_1',
  memberships: new Map([['acc_1', { roles, appEnvIds: null }]]),
  ...more,
})

const permissions = Object.keys(RULES) as Permission[]
const ofAccounts = permissions.filter((permission) => permission !== 'installation:manage')

describe('permissions', () => {
  test('an ADMIN may do everything in the account, and nothing in another', () => {
    for (const permission of ofAccounts) expect(rolesAllow(permission, ['ADMIN'])).toBe(true)
    expect(may(member(['ADMIN']), 'app:read', { accountId: 'acc_2' })).toBe(false)
    expect(may(member(['ADMIN']), 'installation:manage', { accountId: null })).toBe(false)
  })

  test('TECHNICAL changes and operates, but deletes and reveals nothing', () => {
    const caller = member(['TECHNICAL'])
    for (const permission of ['app:change', 'appEnv:change', 'appEnv:operate', 'app:read'] as const) {
      expect(may(caller, permission, scope)).toBe(true)
    }
    for (const permission of ['app:delete', 'appEnv:delete', 'variable:reveal', 'member:manage'] as const) {
      expect(may(caller, permission, scope)).toBe(false)
    }
  })

  test('AUDIT only reads, the audit log included, and decides about its own membership', () => {
    const allowed = ofAccounts.filter((permission) => may(member(['AUDIT']), permission, scope))
    const reads = [
      'user:read',
      'catalogue:read',
      'token:own',
      'account:read',
      'account:leave',
      'app:read',
      'appEnv:read',
      'appEnv:observe',
      'operation:read',
      'jobRun:read',
      'invitation:accept',
      'backup:read',
      'audit:read',
    ]
    expect(allowed).toEqual(reads)
  })

  test('an environment token only operates and watches its own environment and follows operations there', () => {
    const token = member([], { kind: 'ENVIRONMENT', userId: null, appEnvId: 'env_1', memberships: new Map() })
    expect(permissions.filter((permission) => may(token, permission, scope))).toEqual([
      'appEnv:observe',
      'appEnv:operate',
      'operation:read',
      'jobRun:read',
      'jobRun:operate',
      'backup:create',
    ])
    expect(may(token, 'appEnv:operate', { accountId: 'acc_1', appEnvId: 'env_2' })).toBe(false)
    expect(may(token, 'appEnv:observe', { accountId: 'acc_1', appEnvId: 'env_2' })).toBe(false)
  })

  test('a scoped token has no more than its scopes, and no more than its user', () => {
    const reader = member(['ADMIN'], { kind: 'SCOPED', scopes: new Set(['svc:read']) })
    expect(may(reader, 'app:read', scope)).toBe(true)
    expect(may(reader, 'appEnv:operate', scope)).toBe(false)
    const deployer = member(['AUDIT'], { kind: 'SCOPED', scopes: new Set(['svc:write:deploy']) })
    expect(may(deployer, 'appEnv:operate', scope)).toBe(false)
    expect(may(deployer, 'app:read', scope)).toBe(true)
  })

  test('the secret of an invitation accepts it, and does nothing else', () => {
    const secret = member([], { kind: 'INVITATION', userId: null, accountId: 'acc_1', memberships: new Map() })
    expect(permissions.filter((permission) => may(secret, permission, scope))).toEqual(['invitation:accept'])
    expect(may(secret, 'invitation:accept', { accountId: 'acc_2' })).toBe(false)
  })

  test('a restricted member reaches only the environments on the list', () => {
    const grant = { roles: ['TECHNICAL' as const], appEnvIds: new Set(['env_1']) }
    const caller = member([], { memberships: new Map([['acc_1', grant]]) })
    expect(may(caller, 'appEnv:operate', scope)).toBe(true)
    expect(may(caller, 'appEnv:operate', { accountId: 'acc_1', appEnvId: 'env_2' })).toBe(false)
  })
})
