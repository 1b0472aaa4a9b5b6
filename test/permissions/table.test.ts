import { expect, test } from 'vitest'
import { type Caller, may } from '../../src/calls/caller.ts'
import { type Permission, type RoleName, RULES, SCOPES, type Scope } from '../../src/domain/permissions.ts'
import { type Member, memberMay, ROLES, type Target } from './callers.ts'

/** Every permission by everybody about everything, without a request: matrix.test.ts shows that each call asks for its own. */
const HERE = 'acc_here'
const ELSEWHERE = 'acc_elsewhere'
const ENV = 'env_here'
const OTHER_ENV = 'env_other'

const TARGETS: Target[] = [
  { accountId: null, appEnvId: null },
  { accountId: HERE, appEnvId: null },
  { accountId: HERE, appEnvId: ENV },
  { accountId: HERE, appEnvId: OTHER_ENV },
]

const permissions = Object.keys(RULES) as Permission[]
const scoped = ({ accountId, appEnvId }: Target) => ({ accountId, ...(appEnvId && { appEnvId }) })

const NOBODY: Caller = {
  tokenId: 'tok_1',
  kind: 'USER',
  userId: null,
  appEnvId: null,
  accountId: null,
  scopes: null,
  expiresAt: null,
  isInstallationAdmin: false,
  currentAccountId: null,
  memberships: new Map(),
}

/** Null: a token without scopes. Then each set that is not empty. */
const SCOPE_SETS: (readonly Scope[] | null)[] = [
  null,
  ...Array.from({ length: 31 }, (_, bits) => SCOPES.filter((_scope, at) => (bits + 1) & (1 << at))),
]

/** A permission is carried by any of the roles of its rule, so each alone, and two beside each other. */
const ROLE_SETS: RoleName[][] = [...ROLES.map((role) => [role]), ['TECHNICAL', 'MANAGE_MEMBERS'], ['BILLING', 'AUDIT']]

const RESTRICTIONS = [null, [ENV], [OTHER_ENV], []] as const

function membersOf(roles: RoleName[]): { member: Member; caller: Caller }[] {
  return (['every account', 'elsewhere'] as const).flatMap((of) =>
    RESTRICTIONS.flatMap((ids) =>
      SCOPE_SETS.map((scopes) => {
        const appEnvIds = ids && new Set<string>(ids)
        const member = { roles, of, ...(appEnvIds && { appEnvIds }), ...(scopes && { scopes }) }
        const grant = new Map([[of === 'elsewhere' ? ELSEWHERE : HERE, { roles, appEnvIds }]])
        const kind = scopes ? ('SCOPED' as const) : ('USER' as const)
        const set = scopes && new Set(scopes)
        return { member, caller: { ...NOBODY, kind, userId: 'usr_1', scopes: set, memberships: grant } }
      }),
    ),
  )
}

test('a member may what the table says of their roles, scopes and environments', () => {
  const wrong: string[] = []
  let cells = 0
  for (const roles of ROLE_SETS) {
    for (const { member, caller } of membersOf(roles)) {
      for (const permission of permissions) {
        for (const target of TARGETS) {
          cells += 1
          const want = memberMay(member, permission, target)
          if (may(caller, permission, scoped(target)) === want) continue
          wrong.push(`${permission} on ${JSON.stringify(target)} by ${JSON.stringify(member)}: not ${want}`)
        }
      }
    }
  }
  console.info(`permission table: ${cells} cells`)
  expect(wrong.slice(0, 20)).toEqual([])
})

test('an environment token may in its environment what the table says, and nothing elsewhere', () => {
  const caller: Caller = { ...NOBODY, kind: 'ENVIRONMENT', appEnvId: ENV, accountId: HERE }
  for (const permission of permissions) {
    const allowed = TARGETS.filter((target) => may(caller, permission, scoped(target)))
    const want = RULES[permission].environmentToken ? [{ accountId: HERE, appEnvId: ENV }] : []
    expect({ permission, allowed }).toEqual({ permission, allowed: want })
  }
})

test('the secret of an invitation accepts it in its account, and does nothing else', () => {
  const caller: Caller = { ...NOBODY, kind: 'INVITATION', accountId: HERE }
  for (const permission of permissions) {
    const allowed = TARGETS.filter((target) => may(caller, permission, scoped(target)))
    const want = permission === 'invitation:accept' ? TARGETS.filter(({ accountId }) => accountId === HERE) : []
    expect({ permission, allowed }).toEqual({ permission, allowed: want })
  }
})

test("the installation's admin may everything, as far as the scopes of the token go", () => {
  for (const scopes of SCOPE_SETS) {
    const set = scopes && new Set(scopes)
    const caller: Caller = { ...NOBODY, kind: scopes ? 'SCOPED' : 'USER', scopes: set, isInstallationAdmin: true }
    for (const permission of permissions) {
      const { scope, alsoScope = scope } = RULES[permission]
      const want = !scopes || scope === 'svc:read' || (scopes.includes(scope) && scopes.includes(alsoScope))
      const allowed = TARGETS.map((target) => may(caller, permission, scoped(target)))
      expect({ permission, scopes, allowed }).toEqual({ permission, scopes, allowed: TARGETS.map(() => want) })
    }
  }
})
