import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissionOf, tools } from '../../../src/api/mcp/tools.ts'
import { type Caller, may, mayAnywhere, type Scoped } from '../../../src/calls/caller.ts'
import { type Permission, type RoleName, RULES, SCOPES } from '../../../src/domain/permissions.ts'
import { createInvitation } from '../../../src/services/account/invitation-commands.ts'
import { callerWith, callTool, post } from '../../support/mcp.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

// Of each permission, test/permissions proves that calls ask for it, and what it means on every target.

const PERMISSIONS = Object.keys(RULES) as Permission[]

const member = (roles: RoleName[], appEnvIds: string[] | null = null, more: Partial<Caller> = {}) =>
  callerWith({ memberships: new Map([['acc_1', { roles, appEnvIds: appEnvIds && new Set(appEnvIds) }]]), ...more })

const CALLERS: Record<string, Caller> = {
  admin: callerWith({ isInstallationAdmin: true }),
  'the admin with a token that reads': callerWith({
    kind: 'SCOPED',
    isInstallationAdmin: true,
    scopes: new Set(['svc:read'] as const),
  }),
  'a user without an account': callerWith(),
  'an ADMIN': member(['ADMIN']),
  'a TECHNICAL member': member(['TECHNICAL']),
  'a BILLING member': member(['BILLING']),
  'a member restricted to an environment': member(['ADMIN'], ['env_1']),
  'a member restricted to nothing': member(['ADMIN'], []),
  'a member without roles': member([]),
  'an environment': callerWith({ kind: 'ENVIRONMENT', userId: null, appEnvId: 'env_1', accountId: 'acc_1' }),
  'an invitation': callerWith({ kind: 'INVITATION', userId: null, accountId: 'acc_1' }),
  'a token without scopes': member(['ADMIN'], null, { kind: 'SCOPED', scopes: new Set() }),
}

for (const scope of SCOPES)
  CALLERS[`a token with ${scope}`] = member(['ADMIN'], null, { kind: 'SCOPED', scopes: new Set([scope]) })

const PLACES: Scoped[] = [null, 'acc_1', 'acc_2'].flatMap((accountId) =>
  [undefined, 'env_1', 'env_2'].map((appEnvId) => ({ accountId, appEnvId })),
)

test.each(Object.entries(CALLERS))('%s may somewhere exactly what is allowed at some place', (_name, caller) => {
  const somewhere = PERMISSIONS.filter((permission) => mayAnywhere(caller, permission))
  const allowed = PERMISSIONS.filter((permission) => PLACES.some((on) => may(caller, permission, on)))
  expect(somewhere).toEqual(allowed)
})

describe('tools/list', () => {
  let world: World
  let api: ReturnType<typeof serveRest>['api']
  let appEnvId: string

  beforeAll(async () => {
    world = await createWorld()
    ;({ api } = serveRest(world))
    ;({ appEnvId } = await world.appEnv())
  })
  afterAll(() => world.close())

  async function listedFor(token: string, path = '/mcp?tools=all'): Promise<string[]> {
    const response = await post(api, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { token, path })
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }

  const OWN = ['find-tool', 'call-tool']

  test('has every tool for the admin', async () => {
    expect((await listedFor(world.adminToken)).sort()).toEqual([...OWN, ...tools.keys()].sort())
  })

  test('has for an environment token what it may do to its environment', async () => {
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    const listed = await listedFor(token)
    expect(listed).toEqual(expect.arrayContaining(['deploy-image', 'get-app-env-status', 'get-logs', 'create-job-run']))
    const permitted = [...tools.values()].filter((tool) => RULES[permissionOf(tool)].environmentToken)
    expect(listed.sort()).toEqual([...OWN, ...permitted.map(({ name }) => name)].sort())
    expect(await listedFor(token, '/mcp')).not.toContain('create-app')
    const { body } = await callTool(api, { token, name: 'list-apps', given: {} })
    expect([body.status, body.reason]).toEqual([403, 'USER_TOKEN_REQUIRED'])
  })

  test('has for an invitation what accepts it', async () => {
    const { accountId } = world
    const given = { accountId, email: 'new@example.com', roles: ['TECHNICAL'] }
    const { secret } = await world.perform(createInvitation, given)
    expect(await listedFor(secret)).toEqual([...OWN, 'accept-invitation'])
  })

  test('has for a token that reads what reads, and no secrets', async () => {
    const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })
    const listed = await listedFor(token)
    expect(listed).toEqual(expect.arrayContaining(['list-apps', 'get-logs', 'get-usage']))
    for (const name of ['deploy-image', 'get-service-credentials', 'set-variables', 'delete-app']) {
      expect(listed).not.toContain(name)
      expect((await callTool(api, { token, name, given: {} })).isError, name).toBe(true)
    }
  })

  test('follows the roles of a member at once', async () => {
    const accountId = await world.account()
    const { token, userId } = await world.user({ accountId, roles: ['BILLING'] })
    expect(await listedFor(token)).toContain('set-budget')
    expect(await listedFor(token, '/mcp')).not.toContain('deploy-image')
    const given = { accountId, userId, roles: ['TECHNICAL'] }
    expect((await callTool(api, { token: world.adminToken, name: 'update-member', given })).isError).toBe(false)
    expect(await listedFor(token)).not.toContain('set-budget')
    expect(await listedFor(token, '/mcp')).toContain('deploy-image')
  })
})
