import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSolutionWorld, type SolutionWorld } from './solution-world.ts'

let here: SolutionWorld
let world: SolutionWorld['world']

beforeAll(async () => {
  here = await createSolutionWorld()
  world = here.world
})
afterAll(() => world.close())

describe('before anything is created', () => {
  const refused = async (input: Record<string, unknown>, expected: object, as?: string) => {
    const before = await here.counts()
    await expect(here.install(input, as === undefined ? {} : { as })).rejects.toMatchObject(expected)
    expect(await here.counts()).toEqual(before)
  }

  test('all problems with inputs are named at once', async () => {
    const input = here.request({ solutionSlug: 'directus', inputs: { adminEmail: 'x', colour: 'red' } })
    const fields = ['inputs.colour', 'inputs.adminEmail', 'inputs.adminPassword'].map((field) =>
      expect.objectContaining({ field }),
    )
    await refused(input, { code: 'INVALID_INPUT', details: { fields } })
  })

  test('an unknown solution, region and installation are', async () => {
    await refused(here.request({ solutionSlug: 'nothing' }), { code: 'NOT_FOUND' })
    await refused(here.request({ region: 'mars' }), { code: 'NOT_FOUND' })
    await refused(here.request({ installationId: 'inst_01kb3f8q4hevz9sr2m6x7d5t0c' }), { code: 'NOT_FOUND' })
  })

  test('each missing prerequisite is, until none is missing', async () => {
    const input = () => here.request({ solutionSlug: 'code-server', inputs: { password: 'a long password' } })
    const { database, accountId } = world
    const region = (data: object) => database.region.update({ where: { code: 'local' }, data })
    const account = (entitlements: string[]) =>
      database.account.update({ where: { id: accountId }, data: { entitlements } })
    const missing = (message: string) => ({
      code: 'FORBIDDEN',
      reason: 'SANDBOX_NOT_READY',
      message: `code-server cannot be installed: ${message}`,
    })
    await region({ sandboxAddonReady: true, publicGatewayReady: true })
    await account([])
    await refused(input(), missing('the account lacks the entitlement SANDBOX'))
    await account(['SANDBOX'])
    await region({ sandboxAddonReady: false })
    await refused(input(), missing('the sandbox add-on of the region local is not ready'))
    await region({ sandboxAddonReady: true, publicGatewayReady: false })
    await refused(input(), missing('the public gateway of the region local is not ready'))
    await region({ publicGatewayReady: true })
    const { installationId } = await here.install(input())
    expect(await here.going(installationId)).toEqual(['app'])
  })

  test('a plan that has no room for every component is', async () => {
    const { database } = world
    const apps = await database.app.count({ where: { accountId: world.accountId, deletedAt: null } })
    await database.plan.update({ where: { code: 'standard' }, data: { maxApps: apps + 3 } })
    await refused(here.request(), { code: 'FORBIDDEN', reason: 'PLAN_LIMIT' })
    await database.plan.update({ where: { code: 'standard' }, data: { maxApps: 10_000 } })
  })

  test.each([
    ['TECHNICAL', 'ROLE_MISSING'],
    ['BILLING', 'ROLE_MISSING'],
    ['MANAGE_MEMBERS', 'ROLE_MISSING'],
  ] as const)('the role %s is not enough', async (role, reason) => {
    const { token } = await world.user({ roles: [role] })
    await refused(here.request(), { code: 'FORBIDDEN', reason }, token)
  })

  test.each([[['svc:write:config']], [['svc:write:deploy']], [['svc:read', 'svc:admin']]] as const)(
    'the scopes %s are not enough',
    async (scopes) => {
      const { token } = await world.token({ kind: 'SCOPED', scopes: [...scopes] })
      await refused(here.request(), { code: 'FORBIDDEN', reason: 'SCOPE_MISSING' }, token)
    },
  )

  test('an environment token is not enough, and another account is not', async () => {
    const { appEnvId } = await world.appEnv()
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    await refused(here.request(), { code: 'FORBIDDEN', reason: 'USER_TOKEN_REQUIRED' }, token)
    const stranger = await world.user({ roles: ['ADMIN'], accountId: await world.account() })
    await refused(here.request(), { code: 'FORBIDDEN', reason: 'NOT_A_MEMBER' }, stranger.token)
  })
})

test('a scoped token with both scopes, and an ADMIN, may install', async () => {
  const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:write:config', 'svc:write:deploy'] })
  const admin = await world.user({ roles: ['ADMIN'] })
  expect((await here.install(here.request(), { as: token })).appIds).toHaveLength(5)
  expect((await here.install(here.request(), { as: admin.token })).appIds).toHaveLength(5)
})
