import { type Permission, type RoleName, RULES, SCOPES, type Scope } from '../../src/domain/permissions.ts'
import { createInvitation } from '../../src/services/account/invitation-commands.ts'
import { revokeToken } from '../../src/services/token/token-commands.ts'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import type { World } from '../support/world.ts'

/** Where a call acts: null for the installation itself. */
export interface Target {
  accountId: string | null
  appEnvId: string | null
}

/** Somebody who calls, and what the rules make of them: told by the test, not by the product. */
export interface Caller {
  name: string
  /** What they may is refused here for where it is, not for what it is. */
  isElsewhere?: true
  token(target: Target): string
  /** Whether the table lets them. `UNAUTHENTICATED` for whoever is nobody. */
  verdict(permission: Permission, target: Target): 'UNAUTHENTICATED' | 'FORBIDDEN' | 'allowed'
}

export const ROLES = [
  ...(['ADMIN', 'TECHNICAL', 'BILLING', 'POD_ACCESS', 'MANAGE_MEMBERS', 'AUDIT', 'MANAGE_CREDENTIALS'] as const),
]

/** Those that differ for rules of one scope, or of two; all 31 are in table.test.ts. */
const SCOPE_SETS: (readonly Scope[])[] = [
  ...SCOPES.map((scope) => [scope]),
  ['svc:write:config', 'svc:write:deploy'],
  SCOPES,
]

export interface Member {
  roles: readonly RoleName[]
  /** Accounts of the membership: `elsewhere` is none that a call is about. */
  of: 'every account' | 'elsewhere'
  appEnvIds?: ReadonlySet<string>
  scopes?: readonly Scope[]
}

const judged = (allowed: boolean) => (allowed ? 'allowed' : 'FORBIDDEN')

/** What the table says, by words of its own: the product's are in src/calls/caller.ts. */
export function memberMay({ roles, of, appEnvIds, scopes }: Member, permission: Permission, target: Target): boolean {
  const rule = RULES[permission]
  if (scopes && rule.scope !== 'svc:read' && !scopes.includes(rule.scope)) return false
  if (scopes && rule.alsoScope && !scopes.includes(rule.alsoScope)) return false
  if (rule.roles === 'anyone') return true
  if (target.accountId === null || of === 'elsewhere') return false
  const hasRole =
    rule.roles === 'member' || roles.some((role) => role === 'ADMIN' || rule.roles.includes(role as never))
  if (!hasRole || !appEnvIds) return hasRole
  if (target.appEnvId !== null) return appEnvIds.has(target.appEnvId)
  return rule.scope === 'svc:read' || rule.ownMembership === true
}

const nobody = (name: string, token: string): Caller => ({
  name,
  token: () => token,
  verdict: () => 'UNAUTHENTICATED',
})

/** Everybody who may call: made last, so that they are members of every account that there is. */
export async function createCallers(world: World): Promise<Caller[]> {
  const { database } = world
  const accounts = (await database.account.findMany({ select: { id: true } })).map(({ id }) => id)
  const appEnvs = (await database.appEnv.findMany({ where: { deletedAt: null }, select: { id: true } })).map(
    ({ id }) => id,
  )
  const elsewhere = await world.appEnv({ accountId: await world.account() })

  async function person(roles: RoleName[], appEnvIds: string[] | null = null) {
    const { userId, token } = await world.user({ roles, appEnvIds: null, accountId: elsewhere.accountId })
    const restriction = { restricted: appEnvIds !== null, appEnvIds: appEnvIds ?? [] }
    await database.membership.createMany({
      data: accounts.map((accountId) => ({ accountId, userId, roles, ...restriction })),
    })
    await database.user.update({ where: { id: userId }, data: { currentAccountId: world.accountId } })
    return { userId, token }
  }
  const caller = (name: string, token: string, member: Member): Caller => ({
    name,
    token: () => token,
    verdict: (permission, target) => judged(memberMay(member, permission, target)),
  })

  const of = 'every account' as const
  const people: Caller[] = []
  for (const role of ROLES) people.push(caller(role, (await person([role])).token, { roles: [role], of }))
  const admin = await person(['ADMIN'])
  for (const scopes of SCOPE_SETS) {
    const { token } = await world.token({ kind: 'SCOPED', scopes: [...scopes], as: admin.token })
    people.push(caller(`scopes ${scopes.join(' ')}`, token, { roles: ['ADMIN'], of, scopes }))
  }
  const restricted = async (name: string, ids: string[]) =>
    caller(name, (await person(['ADMIN'], ids)).token, { roles: ['ADMIN'], of, appEnvIds: new Set(ids) })
  people.push(await restricted('restricted to these environments', appEnvs))
  const there = await restricted('restricted to another environment', [elsewhere.appEnvId])
  const stranger = await world.user({ roles: ['ADMIN'], accountId: elsewhere.accountId })
  const foreign = caller('admin of another account', stranger.token, { roles: ['ADMIN'], of: 'elsewhere' })
  people.push({ ...there, isElsewhere: true }, { ...foreign, isElsewhere: true })
  const installation: Caller = { name: 'installation admin', token: () => world.adminToken, verdict: () => 'allowed' }
  return [
    ...(await nobodies(world)),
    ...people,
    ...(await environmentTokens(world, appEnvs, elsewhere.appEnvId)),
    await invited(world),
    installation,
  ]
}

async function nobodies(world: World): Promise<Caller[]> {
  const expired = await world.token()
  await world.database.$executeRaw`UPDATE token SET expires_at = '2020-01-01' WHERE id = ${expired.tokenId}`
  const revoked = await world.token()
  await world.perform(revokeToken, { tokenId: revoked.tokenId })
  return [
    nobody('none', ''),
    nobody('garbage', 'garbage'),
    nobody('unknown', newSecret('USER')),
    nobody('expired', expired.token),
    nobody('revoked', revoked.token),
  ]
}

async function environmentTokens(world: World, appEnvIds: string[], elsewhere: string): Promise<Caller[]> {
  const tokens = new Map<string, string>()
  for (const appEnvId of [...appEnvIds, elsewhere])
    tokens.set(appEnvId, (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token)
  const other = tokens.get(elsewhere) ?? ''
  return [
    {
      name: 'environment token of this',
      token: ({ appEnvId }) => tokens.get(appEnvId ?? '') ?? other,
      verdict: (permission, { appEnvId }) =>
        judged(RULES[permission].environmentToken === true && tokens.has(appEnvId ?? '')),
    },
    { name: 'environment token of another', isElsewhere: true, token: () => other, verdict: () => 'FORBIDDEN' },
  ]
}

async function invited(world: World): Promise<Caller> {
  const input = { accountId: world.accountId, email: 'invited@example.com', roles: ['AUDIT'] }
  const { secret } = await world.perform(createInvitation, input)
  return {
    name: 'invitation',
    token: () => secret,
    verdict: (permission, { accountId }) =>
      judged(RULES[permission].invitation === true && accountId === world.accountId),
  }
}
