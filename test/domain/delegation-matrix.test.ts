import { expect, test } from 'vitest'
import { type Caller, may } from '../../src/calls/caller.ts'
import { authorityOf } from '../../src/calls/giver.ts'
import {
  type Authority,
  appEnvTokenAuthority,
  excessOf,
  membershipAuthority,
  userTokenAuthority,
} from '../../src/domain/delegation.ts'
import { type Permission, type RoleName, RULES, SCOPES, type Scope } from '../../src/domain/permissions.ts'

const ACCOUNT = 'acc_1'
const ENVIRONMENTS = ['env_1', 'env_2']
const HOUR = new Date('2027-01-01T01:00:00Z')
const DAY = new Date('2027-01-02T00:00:00Z')
const LIFETIMES = [null, DAY, HOUR]
const ROLES = ['ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS'] as const
const ROLE_SETS: RoleName[][] = [...ROLES.map((role) => [role]), ['TECHNICAL', 'MANAGE_MEMBERS'], ['ADMIN', 'AUDIT']]
const RESTRICTIONS = [null, new Set(ENVIRONMENTS), new Set(['env_1']), new Set<string>()]
/** Null, and each of the 31 sets of scopes that are not empty. */
const SCOPE_SETS: (ReadonlySet<Scope> | null)[] = [
  null,
  ...Array.from({ length: 31 }, (_, bits) => new Set(SCOPES.filter((_scope, at) => (bits + 1) & (1 << at)))),
]

interface Person {
  roles: RoleName[]
  appEnvIds: ReadonlySet<string> | null
  isInstallationAdmin?: boolean
}

function callerOf({ roles, appEnvIds, isInstallationAdmin = false }: Person, more: Partial<Caller> = {}): Caller {
  return {
    tokenId: 'tok_1',
    kind: 'USER',
    userId: 'usr_1',
    appEnvId: null,
    accountId: null,
    scopes: null,
    expiresAt: null,
    isInstallationAdmin,
    currentAccountId: null,
    memberships: new Map([[ACCOUNT, { roles, appEnvIds }]]),
    ...more,
  }
}

const PEOPLE: Person[] = [
  ...ROLE_SETS.flatMap((roles) => RESTRICTIONS.map((appEnvIds) => ({ roles, appEnvIds }))),
  { roles: [], appEnvIds: null, isInstallationAdmin: true },
]
const GIVERS: Caller[] = PEOPLE.flatMap((person) =>
  SCOPE_SETS.flatMap((scopes) =>
    LIFETIMES.map((expiresAt) => callerOf(person, { kind: scopes ? 'SCOPED' : 'USER', scopes, expiresAt })),
  ),
)

/** What is given: as the rule sees it, and who could then call with it. */
interface Grant {
  authority: Authority
  grantee: Caller
}

const OF_ITS_USER = { roles: [], appEnvIds: new Set<string>() }

function* grantsOf(giver: Caller): Generator<Grant> {
  for (const expiresAt of LIFETIMES) {
    for (const scopes of SCOPE_SETS) {
      const grantee: Caller = { ...giver, kind: scopes ? 'SCOPED' : 'USER', scopes, expiresAt }
      yield { authority: userTokenAuthority(OF_ITS_USER, scopes, expiresAt), grantee }
    }
    for (const appEnvId of ENVIRONMENTS) {
      const grantee = callerOf(
        { roles: [], appEnvIds: null },
        { kind: 'ENVIRONMENT', userId: null, appEnvId, expiresAt, memberships: new Map() },
      )
      yield { authority: appEnvTokenAuthority(appEnvId, expiresAt), grantee }
    }
  }
  for (const roles of ROLE_SETS) {
    for (const appEnvIds of RESTRICTIONS) {
      yield { authority: membershipAuthority(roles, appEnvIds), grantee: callerOf({ roles, appEnvIds }) }
    }
  }
}

const PERMISSIONS = Object.keys(RULES) as Permission[]
const TARGETS = [
  { accountId: ACCOUNT },
  ...ENVIRONMENTS.map((appEnvId) => ({ accountId: ACCOUNT, appEnvId })),
  { accountId: 'acc_2' },
  { accountId: null },
]
const known = new Map<string, boolean[]>()

/** All that a caller may do, as `permit` decides it: the judge of the rule, which knows nothing of the rule. */
function allOf(caller: Caller): boolean[] {
  const { roles, appEnvIds } = caller.memberships.get(ACCOUNT) ?? { roles: [], appEnvIds: null }
  const parts = [roles, appEnvIds && [...appEnvIds], caller.scopes && [...caller.scopes], caller.appEnvId]
  const key = JSON.stringify([...parts, caller.isInstallationAdmin, caller.memberships.size])
  const all = known.get(key) ?? PERMISSIONS.flatMap((name) => TARGETS.map((target) => may(caller, name, target)))
  known.set(key, all)
  return all
}

function exceeds({ grantee }: Grant, giver: Caller): boolean {
  const own = allOf(giver)
  const outlives = giver.expiresAt && (!grantee.expiresAt || grantee.expiresAt > giver.expiresAt)
  return Boolean(outlives) || allOf(grantee).some((mayToo, at) => mayToo && !own[at])
}

test('no grant that the rule allows exceeds its giver, for every giver and every grant', () => {
  let cells = 0
  let allowed = 0
  const exceeding: unknown[] = []
  for (const giver of GIVERS) {
    const own = authorityOf(giver, ACCOUNT)
    for (const grant of grantsOf(giver)) {
      cells += 1
      if (excessOf(own, grant.authority)) continue
      allowed += 1
      if (exceeds(grant, giver)) exceeding.push({ giver: own, given: grant.authority })
    }
  }
  console.log(`delegation matrix: ${cells} cells, ${allowed} allowed, ${exceeding.length} exceed`)
  expect(exceeding.slice(0, 3)).toEqual([])
  expect(allowed).toBeGreaterThan(cells / 20)
})

test('an admin may give everything', () => {
  const admin = authorityOf(callerOf({ roles: ['ADMIN'], appEnvIds: null }), ACCOUNT)
  for (const { authority } of grantsOf(callerOf({ roles: ['ADMIN'], appEnvIds: null })))
    expect(excessOf(admin, authority)).toBeNull()
})

test('a refusal names the first dimension that is exceeded, and by what', () => {
  const own = { roles: ['TECHNICAL'] as RoleName[], appEnvIds: new Set(['env_1']), scopes: null, expiresAt: HOUR }
  expect(excessOf(own, membershipAuthority(['ADMIN'], null))).toEqual({ of: 'roles', beyond: ['ADMIN'] })
  expect(excessOf(own, appEnvTokenAuthority('env_2', null))).toEqual({ of: 'appEnvIds', beyond: ['env_2'] })
  expect(excessOf(own, appEnvTokenAuthority('env_1', DAY))).toEqual({ of: 'expiresAt', beyond: [DAY.toISOString()] })
  const reader = { ...own, scopes: new Set<Scope>(['svc:read']) }
  expect(excessOf(reader, appEnvTokenAuthority('env_1', HOUR))).toEqual({ of: 'scopes', beyond: ['svc:write:deploy'] })
})
