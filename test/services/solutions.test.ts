import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import { findSolution } from '../../src/solutions/solutions.ts'
import { createWorld, type World } from '../support/world.ts'

/** Five components: two services, the editor that needs both, a worker and webhooks that need the editor. */
const N8N = findSolution('n8n')
const KEYS = N8N?.components.map(({ key }) => key) ?? []
const CANARY = 'canary-5e1f0b7c9d'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

let names = 0

const request = (fields: Record<string, unknown> = {}) => {
  names += 1
  const { accountId } = world
  return { accountId, solutionSlug: 'n8n', appName: `Flow ${names}`, region: 'local', inputs: {}, ...fields }
}

const install = (
  input: Record<string, unknown>,
  options: { as?: string; dryRun?: boolean; waitSeconds?: number } = {},
) => world.perform(installSolution, input, options)

const installationOf = (id: string) =>
  world.database.solutionInstallation.findUniqueOrThrow({
    where: { id },
    include: { components: { orderBy: { position: 'asc' } } },
  })

async function statesOf(id: string): Promise<Record<string, string>> {
  const { components } = await installationOf(id)
  return Object.fromEntries(components.map(({ key, state }) => [key, state]))
}

/** The keys that are being deployed. */
const going = async (id: string) =>
  Object.entries(await statesOf(id)).flatMap(([key, state]) => (state === 'DEPLOYING' ? [key] : []))

/** Ends what is being deployed as workers would, round after round, until the installation has ended. */
async function finish(id: string, failing: readonly string[] = []): Promise<string[][]> {
  const rounds: string[][] = []
  for (let round = 0; round <= KEYS.length; round += 1) {
    const { status, components } = await installationOf(id)
    if (status !== 'INSTALLING') return rounds
    const deploying = components.filter(({ state }) => state === 'DEPLOYING')
    rounds.push(deploying.map(({ key }) => key))
    for (const { key, operationId } of deploying)
      await world.endOperation(operationId, failing.includes(key) ? 'FAILED' : 'SUCCEEDED')
    await advanceInstallations(world)
  }
  throw new Error('The installation did not end')
}

async function counts() {
  const [apps, appEnvs, operations, installations, volumes] = await Promise.all([
    world.database.app.count(),
    world.database.appEnv.count(),
    world.database.operation.count(),
    world.database.solutionInstallation.count(),
    world.database.volume.count(),
  ])
  return { apps, appEnvs, operations, installations, volumes }
}

describe('an installation', () => {
  test('creates every app at once, and deploys each when what it depends on is ready', async () => {
    const answer = await install(request())
    expect(answer.components.map(({ key }) => key)).toEqual(['db', 'queue', 'editor', 'worker', 'webhook'])
    expect(answer.appIds).toHaveLength(5)
    expect(answer.appEnvIds).toHaveLength(5)
    expect(answer.postInstallNote).toContain('create the owner')
    expect(answer.postInstallNote).not.toContain('{{')
    const { installationId } = answer
    expect(await finish(installationId)).toEqual([['db', 'queue'], ['editor'], ['worker', 'webhook']])
    expect(await installationOf(installationId)).toMatchObject({ status: 'INSTALLED', finishedAt: expect.any(Date) })
    for (const appEnvId of answer.appEnvIds) expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })

  test('leaves an app alone while one of its two dependencies is not ready', async () => {
    const { installationId } = await install(request())
    const { components } = await installationOf(installationId)
    await world.endOperation(components.find(({ key }) => key === 'db')?.operationId ?? null)
    await advanceInstallations(world)
    expect(await statesOf(installationId)).toMatchObject({ db: 'READY', queue: 'DEPLOYING', editor: 'PENDING' })
  })

  test('refers to the credentials and addresses of its own components', async () => {
    const { appEnvIds } = await install(request({ appName: 'Wired' }))
    const editor = appEnvIds[2] ?? ''
    const appEnv = await world.database.appEnv.findUniqueOrThrow({
      where: { id: editor },
      include: { variables: true, account: true },
    })
    const vault = world.vault.forAccount(appEnv.account)
    const values = Object.fromEntries(appEnv.variables.map((one) => [one.name, vault.openVariable(one)]))
    expect(values.DB_POSTGRESDB_PASSWORD).toBe(`$\{default-wired-db-production.password}`)
    // Of a component that comes later, and its own.
    expect(values.WEBHOOK_URL).toBe(`$\{default-wired-webhook-production.externalUrl}/`)
    expect(values.N8N_EDITOR_BASE_URL).toBe(`$\{default-wired-production.externalUrl}/`)
    expect(values.N8N_ENCRYPTION_KEY).toMatch(/^[A-Za-z0-9]{48}$/)
    expect(appEnv.variables.find(({ name }) => name === 'N8N_ENCRYPTION_KEY')?.isSecret).toBe(true)
  })

  test('beside another of the same name gets names of its own', async () => {
    const input = request({ appName: 'Twice' })
    const first = await install(input)
    const second = await install(input)
    const nameOf = async (ids: readonly string[]) =>
      (await world.database.appEnv.findMany({ where: { id: { in: [...ids] } }, orderBy: { id: 'asc' } })).map(
        ({ cliEnvName }) => cliEnvName,
      )
    const all = [...(await nameOf(first.appEnvIds)), ...(await nameOf(second.appEnvIds))]
    expect(new Set(all).size).toBe(10)
    expect(all).toContain('default-twice-production')
    expect(all).toContain('default-twice-2-production')
  })

  test('answers a dry run with the plan, and changes nothing', async () => {
    const before = await counts()
    const answer = (await install(request({ appName: 'Dry' }), { dryRun: true })) as unknown as Record<string, unknown>
    expect(await counts()).toEqual(before)
    expect(Object.keys(answer).sort()).toEqual(['changes', 'dryRun'])
    const { plan } = answer.changes as { plan: { key: string; appName: string }[] }
    expect(plan.map(({ key, appName }) => `${key} ${appName}`)).toEqual([
      ...['db dry-db', 'queue dry-queue', 'editor Dry', 'worker dry-worker', 'webhook dry-webhook'],
    ])
  })

  test('that is advanced by eight workers at once deploys nothing twice', async () => {
    const { installationId, appEnvIds } = await install(request())
    for (let round = 0; round < 3; round += 1) {
      const { components } = await installationOf(installationId)
      for (const { state, operationId } of components) if (state === 'DEPLOYING') await world.endOperation(operationId)
      await Promise.all(Array.from({ length: 8 }, () => advanceInstallations(world)))
    }
    expect(await installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
    for (const appEnvId of appEnvIds) expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })
})

describe('a component that fails', () => {
  test.each(KEYS)('%s: the others stand, and the same request with the id goes on', async (failing) => {
    const input = request()
    const { installationId, appEnvIds, appIds } = await install(input)
    await finish(installationId, [failing])
    expect(await installationOf(installationId)).toMatchObject({ status: 'INCOMPLETE' })
    const dependents = N8N?.components.filter(({ dependsOn }) => dependsOn.includes(failing)) ?? []
    const states = await statesOf(installationId)
    expect(states[failing]).toBe('FAILED')
    for (const { key } of dependents) expect(states[key]).toBe('PENDING')

    const before = await counts()
    const again = await install({ ...input, installationId })
    expect(again).toMatchObject({ installationId, appIds, appEnvIds })
    expect(await counts()).toMatchObject({ apps: before.apps, appEnvs: before.appEnvs, volumes: before.volumes })
    expect(await going(installationId)).toEqual([failing])
    await finish(installationId)
    expect(await installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
    // The failed one was deployed twice, each other one once.
    for (const { key, appEnvId } of again.components)
      expect(await world.operationsOf(appEnvId), key).toHaveLength(key === failing ? 2 : 1)
  })

  test('is answered with what has become of each, to a call that waits', async () => {
    const input = request()
    const { installationId } = await install(input)
    const waiting = install({ ...input, installationId }, { waitSeconds: 60 }).catch((error: unknown) => error)
    await finish(installationId, ['editor'])
    expect(await waiting).toMatchObject({
      code: 'INSTALLATION_INCOMPLETE',
      message: expect.stringContaining('The new version never became ready'),
      details: {
        installation: {
          installationId,
          components: [
            { key: 'db', state: 'READY', reason: null, message: null },
            { key: 'queue', state: 'READY' },
            { key: 'editor', state: 'FAILED', reason: 'NOT_READY' },
            { key: 'worker', state: 'PENDING' },
            { key: 'webhook', state: 'PENDING' },
          ],
        },
      },
    })
  })

  test('is resumed by three calls at once as if by one', async () => {
    const input = request()
    const { installationId, appEnvIds } = await install(input)
    await finish(installationId, ['queue'])
    const before = await counts()
    await Promise.all(Array.from({ length: 3 }, () => install({ ...input, installationId })))
    const after = await counts()
    expect(after).toEqual({ ...before, operations: before.operations + 1 })
    await finish(installationId)
    const operations = await Promise.all(appEnvIds.map((appEnvId) => world.operationsOf(appEnvId)))
    expect(operations.map(({ length }) => length)).toEqual([1, 2, 1, 1, 1])
  })

  test('whose app was deleted is created again, and it alone', async () => {
    const input = request()
    const { installationId, appIds } = await install(input)
    await finish(installationId, ['worker'])
    await world.perform(deleteApp, { appId: appIds[3] })
    const before = await counts()
    const again = await install({ ...input, installationId })
    expect(await counts()).toMatchObject({ apps: before.apps + 1, appEnvs: before.appEnvs + 1 })
    expect(again.appIds.filter((id) => !appIds.includes(id))).toEqual([again.appIds[3]])
    await finish(installationId)
    expect(await installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
  })

  test('because somebody stopped or deleted it says so', async () => {
    const { installationId, appEnvIds, appIds } = await install(request())
    await world.endOperation((await world.operationsOf(appEnvIds[0] ?? ''))[0]?.id ?? null)
    const { operationId } = await world.perform(stopAppEnv, { appEnvId: appEnvIds[0] })
    await world.endOperation(operationId)
    await world.perform(deleteApp, { appId: appIds[1] })
    for (const operation of await world.operationsOf(appEnvIds[1] ?? '')) await world.endOperation(operation.id)
    await advanceInstallations(world)
    const { status, components } = await installationOf(installationId)
    expect(status).toBe('INCOMPLETE')
    expect(components.slice(0, 2).map(({ reason }) => reason)).toEqual(['STOPPED', 'DELETED'])
  })
})

describe('a repeat', () => {
  test('of a complete installation does nothing', async () => {
    const input = request()
    const first = await install(input)
    await finish(first.installationId)
    const before = await counts()
    expect(await install({ ...input, installationId: first.installationId }, { waitSeconds: 5 })).toMatchObject({
      ...{ installationId: first.installationId, appIds: first.appIds, operationStatus: 'SUCCEEDED' },
    })
    expect(await counts()).toEqual(before)
  })

  test.each([
    ['another name', { appName: 'Other' }],
    ['another solution', { solutionSlug: 'verdaccio', inputs: {} }],
    ['other inputs', { inputs: { timeZone: 'Europe/Vienna' } }],
  ])('with %s is refused', async (_what, change) => {
    const input = request()
    const { installationId } = await install(input)
    await expect(install({ ...input, ...change, installationId })).rejects.toMatchObject({
      ...{ code: 'CONFLICT', reason: 'INSTALLATION_CHANGED' },
    })
  })
})

describe('before anything is created', () => {
  const refused = async (input: Record<string, unknown>, expected: object, as?: string) => {
    const before = await counts()
    await expect(install(input, as === undefined ? {} : { as })).rejects.toMatchObject(expected)
    expect(await counts()).toEqual(before)
  }

  test('all problems with inputs are named at once', async () => {
    const input = request({ solutionSlug: 'directus', inputs: { adminEmail: 'x', colour: 'red' } })
    const fields = ['inputs.colour', 'inputs.adminEmail', 'inputs.adminPassword'].map((field) =>
      expect.objectContaining({ field }),
    )
    await refused(input, { code: 'INVALID_INPUT', details: { fields } })
  })

  test('an unknown solution, region and installation are', async () => {
    await refused(request({ solutionSlug: 'nothing' }), { code: 'NOT_FOUND' })
    await refused(request({ region: 'mars' }), { code: 'NOT_FOUND' })
    await refused(request({ installationId: 'inst_01kb3f8q4hevz9sr2m6x7d5t0c' }), { code: 'NOT_FOUND' })
  })

  test('each missing prerequisite is, until none is missing', async () => {
    const input = () => request({ solutionSlug: 'code-server', inputs: { password: 'a long password' } })
    const { database, accountId } = world
    const region = (data: object) => database.region.update({ where: { code: 'local' }, data })
    const account = (entitlements: string[]) =>
      database.account.update({ where: { id: accountId }, data: { entitlements } })
    const missing = (message: string) => ({
      ...{ code: 'FORBIDDEN', reason: 'SANDBOX_NOT_READY', message: `code-server cannot be installed: ${message}` },
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
    const { installationId } = await install(input())
    expect(await going(installationId)).toEqual(['app'])
  })

  test('a plan that has no room for every component is', async () => {
    const { database } = world
    const apps = await database.app.count({ where: { accountId: world.accountId, deletedAt: null } })
    await database.plan.update({ where: { code: 'standard' }, data: { maxApps: apps + 3 } })
    await refused(request(), { code: 'CONFLICT', reason: 'PLAN_LIMIT' })
    await database.plan.update({ where: { code: 'standard' }, data: { maxApps: 10_000 } })
  })

  test.each([
    ['TECHNICAL', 'ROLE_MISSING'],
    ['BILLING', 'ROLE_MISSING'],
    ['MANAGE_MEMBERS', 'ROLE_MISSING'],
  ] as const)('the role %s is not enough', async (role, reason) => {
    const { token } = await world.user({ roles: [role] })
    await refused(request(), { code: 'FORBIDDEN', reason }, token)
  })

  test.each([[['svc:write:config']], [['svc:write:deploy']], [['svc:read', 'svc:admin']]] as const)(
    'the scopes %s are not enough',
    async (scopes) => {
      const { token } = await world.token({ kind: 'SCOPED', scopes: [...scopes] })
      await refused(request(), { code: 'FORBIDDEN', reason: 'SCOPE_MISSING' }, token)
    },
  )

  test('an environment token is not enough, and another account is not', async () => {
    const { appEnvId } = await world.appEnv()
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    await refused(request(), { code: 'FORBIDDEN', reason: 'USER_TOKEN_REQUIRED' }, token)
    const stranger = await world.user({ roles: ['ADMIN'], accountId: await world.account() })
    await refused(request(), { code: 'FORBIDDEN', reason: 'NOT_A_MEMBER' }, stranger.token)
  })
})

test('a scoped token with both scopes, and an ADMIN, may install', async () => {
  const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:write:config', 'svc:write:deploy'] })
  const admin = await world.user({ roles: ['ADMIN'] })
  expect((await install(request(), { as: token })).appIds).toHaveLength(5)
  expect((await install(request(), { as: admin.token })).appIds).toHaveLength(5)
})

test('secret inputs are in no row, event, audit entry or answer', async () => {
  const { database, services, adminToken, accountId } = world
  const input = request({
    solutionSlug: 'directus',
    inputs: { adminEmail: 'ada@example.com', adminPassword: `${CANARY}-password`, secret: `${CANARY}-secret` },
  })
  const answer = await install(input)
  await finish(answer.installationId)
  const caller = await services.authenticate(adminToken)
  const shown = JSON.stringify(
    [
      answer,
      await services.solutions.list(caller, { accountId }),
      await services.solutions.installation(caller, answer.installationId),
      await database.solutionInstallation.findMany({ include: { components: true } }),
      await database.$queryRaw`SELECT type, payload::text FROM event`,
      await database.$queryRaw`SELECT details::text FROM audit_entry`,
      await database.content.findMany(),
      await database.variable.findMany(),
    ],
    (_key, value) => (typeof value === 'bigint' ? String(value) : value),
  )
  expect(shown).toContain('directus')
  expect(shown).not.toContain(CANARY)
})

describe('removing an installation', () => {
  test('deletes its apps, dependents first, and keeps the volumes', async () => {
    const { installationId, appEnvIds } = await install(request())
    await finish(installationId)
    const volumes = await world.database.volume.count()
    const { operationIds } = await world.perform(removeInstallation, { installationId })
    const deletions = await world.database.operation.findMany({ where: { id: { in: operationIds } } })
    const byId = new Map(deletions.map((one) => [one.id, one.appEnvId]))
    expect(operationIds.map((id) => byId.get(id))).toEqual([...appEnvIds].reverse())
    expect(deletions.every(({ kind }) => kind === 'DELETE')).toBe(true)
    expect(await world.database.volume.count({ where: { deletedAt: null } })).toBe(volumes)
    const caller = await world.services.authenticate(world.adminToken)
    await expect(world.services.solutions.installation(caller, installationId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('that goes on ends it: nothing more is deployed', async () => {
    const { installationId, appEnvIds } = await install(request())
    await world.perform(removeInstallation, { installationId })
    for (const appEnvId of appEnvIds)
      for (const { id } of await world.operationsOf(appEnvId)) await world.endOperation(id)
    const before = await counts()
    await advanceInstallations(world)
    expect(await counts()).toEqual(before)
  })

  test('is refused while one environment is protected, and then nothing is deleted', async () => {
    const { installationId, appEnvIds } = await install(request())
    await world.database.appEnv.update({ where: { id: appEnvIds[0] ?? '' }, data: { preventDestroy: true } })
    await expect(world.perform(removeInstallation, { installationId })).rejects.toMatchObject({
      reason: 'PREVENT_DESTROY',
    })
    expect(await world.database.appEnv.count({ where: { id: { in: [...appEnvIds] }, deletedAt: null } })).toBe(5)
  })
})
