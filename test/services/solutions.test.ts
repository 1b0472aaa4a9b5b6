import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import { removeInstallation } from '../../src/services/solution/remove-installation.ts'
import { getInstallation, listSolutions } from '../../src/services/solution/solution-queries.ts'
import type { Database } from '../../src/storage/database/client.ts'
import { createSolutionWorld, KEYS, N8N, type SolutionWorld } from './solution-world.ts'

const CANARY = 'canary-5e1f0b7c9d'

let here: SolutionWorld
let world: SolutionWorld['world']

beforeAll(async () => {
  here = await createSolutionWorld()
  world = here.world
})
afterAll(() => world.close())

describe('an installation', () => {
  test('creates every app at once, and deploys each when what it depends on is ready', async () => {
    const answer = await here.install(here.request())
    expect(answer.components.map(({ key }) => key)).toEqual(['db', 'queue', 'editor', 'worker', 'webhook'])
    expect(answer.appIds).toHaveLength(5)
    expect(answer.appEnvIds).toHaveLength(5)
    expect(answer.postInstallNote).toContain('create the owner')
    expect(answer.postInstallNote).not.toContain('{{')
    const { installationId } = answer
    expect(await here.finish(installationId)).toEqual([['db', 'queue'], ['editor'], ['worker', 'webhook']])
    expect(await here.installationOf(installationId)).toMatchObject({
      status: 'INSTALLED',
      finishedAt: expect.any(Date),
    })
    for (const appEnvId of answer.appEnvIds) expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })

  test('leaves an app alone while one of its two dependencies is not ready', async () => {
    const { installationId } = await here.install(here.request())
    const { components } = await here.installationOf(installationId)
    await world.endOperation(components.find(({ key }) => key === 'db')?.operationId ?? null)
    await advanceInstallations(world)
    expect(await here.statesOf(installationId)).toMatchObject({ db: 'READY', queue: 'DEPLOYING', editor: 'PENDING' })
  })

  test('refers to the credentials and addresses of its own components', async () => {
    const { appEnvIds } = await here.install(here.request({ appName: 'Wired' }))
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
    const input = here.request({ appName: 'Twice' })
    const first = await here.install(input)
    const second = await here.install(input)
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
    const before = await here.counts()
    const answer = (await here.install(here.request({ appName: 'Dry' }), { dryRun: true })) as unknown as Record<
      string,
      unknown
    >
    expect(await here.counts()).toEqual(before)
    expect(Object.keys(answer).sort()).toEqual(['changes', 'dryRun'])
    const { plan } = answer.changes as { plan: { key: string; appName: string }[] }
    expect(plan.map(({ key, appName }) => `${key} ${appName}`)).toEqual([
      'db dry-db',
      'queue dry-queue',
      'editor Dry',
      'worker dry-worker',
      'webhook dry-webhook',
    ])
  })

  test('that is advanced by eight workers at once deploys nothing twice', async () => {
    const { installationId, appEnvIds } = await here.install(here.request())
    for (let round = 0; round < 3; round += 1) {
      const { components } = await here.installationOf(installationId)
      for (const { state, operationId } of components) if (state === 'DEPLOYING') await world.endOperation(operationId)
      await Promise.all(Array.from({ length: 8 }, () => advanceInstallations(world)))
    }
    expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
    for (const appEnvId of appEnvIds) expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })
})

test('a component whose deployment succeeds while it is looked at has not failed', async () => {
  const { installationId } = await here.install(here.request())
  const { components } = await here.installationOf(installationId)
  const [first, second] = components.filter(({ state }) => state === 'DEPLOYING')
  await world.endOperation(first?.operationId ?? null)
  const meanwhile = world.database.$extends({
    query: {
      appEnv: {
        async findUnique({ args, query }) {
          const found = await query(args)
          if (args.where.id === second?.appEnvId) await world.endOperation(second?.operationId ?? null)
          return found
        },
      },
    },
  })
  await advanceInstallations({ ...world, database: meanwhile as unknown as Database })
  expect(Object.values(await here.statesOf(installationId))).not.toContain('FAILED')
  await here.finish(installationId)
  expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
})

describe('a smoke test', () => {
  const wrong = { passed: false, reason: 'GET /healthz answered 500 instead of 200' }

  /** Everything but the tested component's dependents is deployed. */
  async function deployed() {
    const input = here.request()
    const { installationId } = await here.install(input)
    const asked: string[] = []
    const advanceWith = (answer: typeof wrong) =>
      advanceInstallations({
        ...world,
        async smokeTest(appEnvId, { path }) {
          asked.push(`${appEnvId} ${path}`)
          return answer
        },
      })
    for (let round = 0; round < 2; round += 1) {
      const { components } = await here.installationOf(installationId)
      for (const { state, operationId } of components) if (state === 'DEPLOYING') await world.endOperation(operationId)
      await advanceWith(wrong)
    }
    const editor = async () =>
      (await here.installationOf(installationId)).components.find(({ key }) => key === 'editor')
    return { input, installationId, asked, advanceWith, editor }
  }

  test('is asked once its component is deployed, and keeps those back that depend on it', async () => {
    const { installationId, asked, advanceWith, editor } = await deployed()
    expect(asked).toEqual([`${(await editor())?.appEnvId} /healthz`])
    const waiting = { db: 'READY', queue: 'READY', editor: 'DEPLOYING', worker: 'PENDING', webhook: 'PENDING' }
    expect(await here.statesOf(installationId)).toEqual(waiting)
    await advanceWith({ passed: true, reason: '' })
    expect(await here.statesOf(installationId)).toMatchObject({ editor: 'READY', worker: 'DEPLOYING' })
    await here.finish(installationId)
    expect(asked).toHaveLength(2)
  })

  test('that does not pass in time fails its component, and is asked again when that is resumed', async () => {
    const { input, installationId, advanceWith, editor } = await deployed()
    const seconds = world.config.BERTH_READY_TIMEOUT_SECONDS
    const finishedAt = new Date(Date.now() - seconds * 1000)
    await world.database.operation.update({ where: { id: (await editor())?.operationId ?? '' }, data: { finishedAt } })
    await advanceWith(wrong)
    expect(await editor()).toMatchObject({
      state: 'FAILED',
      reason: 'SMOKE_TEST_FAILED',
      message: `The smoke test did not pass within ${seconds} s: ${wrong.reason}`,
    })
    expect((await here.installationOf(installationId)).status).toBe('INCOMPLETE')
    await here.install({ ...input, installationId })
    await here.finish(installationId)
    expect((await here.installationOf(installationId)).status).toBe('INSTALLED')
  })
})

describe('a component that fails', () => {
  test.each(KEYS)('%s: the others stand, and the same request with the id goes on', async (failing) => {
    const input = here.request()
    const { installationId, appEnvIds, appIds } = await here.install(input)
    await here.finish(installationId, [failing])
    expect(await here.installationOf(installationId)).toMatchObject({ status: 'INCOMPLETE' })
    const dependents = N8N?.components.filter(({ dependsOn }) => dependsOn.includes(failing)) ?? []
    const states = await here.statesOf(installationId)
    expect(states[failing]).toBe('FAILED')
    for (const { key } of dependents) expect(states[key]).toBe('PENDING')

    const before = await here.counts()
    const again = await here.install({ ...input, installationId })
    expect(again).toMatchObject({ installationId, appIds, appEnvIds })
    expect(await here.counts()).toMatchObject({ apps: before.apps, appEnvs: before.appEnvs, volumes: before.volumes })
    expect(await here.going(installationId)).toEqual([failing])
    await here.finish(installationId)
    expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
    // The failed one was deployed twice, each other one once.
    for (const { key, appEnvId } of again.components)
      expect(await world.operationsOf(appEnvId), key).toHaveLength(key === failing ? 2 : 1)
  })

  test('is answered with what has become of each, to a call that waits', async () => {
    const input = here.request()
    const { installationId } = await here.install(input)
    const waiting = here.install({ ...input, installationId }, { waitSeconds: 60 }).catch((error: unknown) => error)
    await here.finish(installationId, ['editor'])
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
    const input = here.request()
    const { installationId, appEnvIds } = await here.install(input)
    await here.finish(installationId, ['queue'])
    const before = await here.counts()
    await Promise.all(Array.from({ length: 3 }, () => here.install({ ...input, installationId })))
    const after = await here.counts()
    expect(after).toEqual({ ...before, operations: before.operations + 1 })
    await here.finish(installationId)
    const operations = await Promise.all(appEnvIds.map((appEnvId) => world.operationsOf(appEnvId)))
    expect(operations.map(({ length }) => length)).toEqual([1, 2, 1, 1, 1])
  })

  test('whose app was deleted is created again, and it alone', async () => {
    const input = here.request()
    const { installationId, appIds } = await here.install(input)
    await here.finish(installationId, ['worker'])
    await world.perform(deleteApp, { appId: appIds[3] })
    const before = await here.counts()
    const again = await here.install({ ...input, installationId })
    expect(await here.counts()).toMatchObject({ apps: before.apps + 1, appEnvs: before.appEnvs + 1 })
    expect(again.appIds.filter((id) => !appIds.includes(id))).toEqual([again.appIds[3]])
    await here.finish(installationId)
    expect(await here.installationOf(installationId)).toMatchObject({ status: 'INSTALLED' })
  })

  test('because somebody stopped or deleted it says so', async () => {
    const { installationId, appEnvIds, appIds } = await here.install(here.request())
    await world.endOperation((await world.operationsOf(appEnvIds[0] ?? ''))[0]?.id ?? null)
    const { operationId } = await world.perform(stopAppEnv, { appEnvId: appEnvIds[0] })
    await world.endOperation(operationId)
    await world.perform(deleteApp, { appId: appIds[1] })
    for (const operation of await world.operationsOf(appEnvIds[1] ?? '')) await world.endOperation(operation.id)
    await advanceInstallations(world)
    const { status, components } = await here.installationOf(installationId)
    expect(status).toBe('INCOMPLETE')
    expect(components.slice(0, 2).map(({ reason }) => reason)).toEqual(['STOPPED', 'DELETED'])
  })
})

describe('a repeat', () => {
  test('of a complete installation does nothing', async () => {
    const input = here.request()
    const first = await here.install(input)
    await here.finish(first.installationId)
    const before = await here.counts()
    expect(await here.install({ ...input, installationId: first.installationId }, { waitSeconds: 5 })).toMatchObject({
      installationId: first.installationId,
      appIds: first.appIds,
      operationStatus: 'SUCCEEDED',
    })
    expect(await here.counts()).toEqual(before)
  })

  test.each([
    ['another name', { appName: 'Other' }],
    ['another solution', { solutionSlug: 'verdaccio', inputs: {} }],
    ['other inputs', { inputs: { timeZone: 'Europe/Vienna' } }],
  ])('with %s is refused', async (_what, change) => {
    const input = here.request()
    const { installationId } = await here.install(input)
    await expect(here.install({ ...input, ...change, installationId })).rejects.toMatchObject({
      code: 'CONFLICT',
      reason: 'INSTALLATION_CHANGED',
    })
  })
})

test('secret inputs are in no row, event, audit entry or answer', async () => {
  const { database, services, adminToken, accountId } = world
  const input = here.request({
    solutionSlug: 'directus',
    inputs: { adminEmail: 'ada@example.com', adminPassword: `${CANARY}-password`, secret: `${CANARY}-secret` },
  })
  const answer = await here.install(input)
  await here.finish(answer.installationId)
  const caller = await services.authenticate(adminToken)
  const shown = JSON.stringify(
    [
      answer,
      await services.all(listSolutions, { caller, requestId: 'req_1' }, { accountId }),
      await services.find(getInstallation, { caller, requestId: 'req_1' }, { installationId: answer.installationId }),
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
    const { installationId, appEnvIds } = await here.install(here.request())
    await here.finish(installationId)
    const volumes = await world.database.volume.count()
    const { operationIds } = await world.perform(removeInstallation, { installationId })
    const deletions = await world.database.operation.findMany({ where: { id: { in: operationIds } } })
    const byId = new Map(deletions.map((one) => [one.id, one.appEnvId]))
    expect(operationIds.map((id) => byId.get(id))).toEqual([...appEnvIds].reverse())
    expect(deletions.every(({ kind }) => kind === 'DELETE')).toBe(true)
    expect(await world.database.volume.count({ where: { deletedAt: null } })).toBe(volumes)
    const caller = await world.services.authenticate(world.adminToken)
    await expect(
      world.services.find(getInstallation, { caller, requestId: 'req_1' }, { installationId }),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  test('that goes on ends it: nothing more is deployed', async () => {
    const { installationId, appEnvIds } = await here.install(here.request())
    await world.perform(removeInstallation, { installationId })
    for (const appEnvId of appEnvIds)
      for (const { id } of await world.operationsOf(appEnvId)) await world.endOperation(id)
    const before = await here.counts()
    await advanceInstallations(world)
    expect(await here.counts()).toEqual(before)
  })

  test('is refused while one environment is protected, and then nothing is deleted', async () => {
    const { installationId, appEnvIds } = await here.install(here.request())
    await world.database.appEnv.update({ where: { id: appEnvIds[0] ?? '' }, data: { preventDestroy: true } })
    await expect(world.perform(removeInstallation, { installationId })).rejects.toMatchObject({
      reason: 'PREVENT_DESTROY',
    })
    expect(await world.database.appEnv.count({ where: { id: { in: [...appEnvIds] }, deletedAt: null } })).toBe(5)
  })
})
