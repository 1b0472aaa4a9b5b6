import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { updateApp } from '../../src/services/app/update-app.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { setAutoDeploy } from '../../src/services/auto-deploy/auto-deploy-commands.ts'
import { pendingChangesOf } from '../../src/services/configuration/configured.ts'
import { applyChanges } from '../../src/services/lifecycle/apply-changes.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { setPullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { loadEverything } from '../../src/services/targets/load-app-env.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const OLD = 'https://git.example.com/acme/shop.git'
const NEW = 'https://git.example.com/acme/shop-2.git'

const built = (app: object = {}) =>
  world.appEnv({ app: { useImage: false, image: undefined, gitRepo: OLD, ...app }, branch: 'main' })

const appOf = (id: string) => world.database.app.findUniqueOrThrow({ where: { id } })

const sourcesOf = async (appEnvId: string) => {
  const versions = await world.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
  return versions.map(({ buildPlan }) => (buildPlan as { source: { url: string } } | null)?.source.url)
}

test('the next build is of the new repository; one that is under way keeps its own', async () => {
  const { appId, appEnvId } = await built()
  await world.build(appEnvId)
  const { operationId } = await world.perform(buildAppEnv, { appEnvId })
  const { environmentsAffected } = await world.perform(updateApp, { appId, gitRepo: NEW })
  expect(environmentsAffected).toBe(1)
  expect(await world.database.operation.findUnique({ where: { id: operationId ?? '' } })).toMatchObject({
    status: 'QUEUED',
  })
  expect(await sourcesOf(appEnvId)).toEqual([OLD, OLD])
  await world.endOperation(operationId)
  const pending = pendingChangesOf(await loadEverything(world.database, appEnvId), world.vault)
  expect(pending).toEqual([{ kind: 'BUILD', field: 'gitRepo', from: OLD, to: NEW }])
  await world.perform(applyChanges, { appEnvId })
  expect(await sourcesOf(appEnvId)).toEqual([OLD, OLD, NEW])
})

test('a repository is given by its names or by its address, and what named the former one goes with it', async () => {
  const { appId } = await built({ gitRepo: 'shop', gitNamespace: 'acme', gitInstallationId: '42' })
  await world.perform(updateApp, { appId, gitRepo: 'shop-2' })
  const named = { gitProvider: 'GITHUB', gitNamespace: 'acme', gitRepo: 'shop-2', gitInstallationId: '42' }
  expect(await appOf(appId)).toMatchObject(named)
  await world.perform(updateApp, { appId, gitRepo: NEW })
  expect(await appOf(appId)).toMatchObject({ gitNamespace: null, gitRepo: NEW, gitInstallationId: null })
  await expect(world.perform(updateApp, { appId, gitRepo: 'shop' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await world.perform(updateApp, { appId, gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '7' })
  expect(await appOf(appId)).toMatchObject({ gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '7' })
})

test('names and addresses are compared as what they lead to', async () => {
  const { appId, appEnvId } = await built({ gitRepo: 'shop', gitNamespace: 'acme', gitInstallationId: '42' })
  await world.build(appEnvId)
  const pending = async () => pendingChangesOf(await loadEverything(world.database, appEnvId), world.vault)
  expect(await pending()).toEqual([])
  await world.perform(updateApp, { appId, gitRepo: 'https://github.com/Acme/shop' })
  expect(await pending()).toEqual([])
  await world.perform(updateApp, { appId, gitRepo: 'shop-2', gitNamespace: 'acme', gitInstallationId: '42' })
  const from = 'https://github.com/acme/shop.git'
  expect(await pending()).toEqual([{ kind: 'BUILD', field: 'gitRepo', from, to: 'acme/shop-2' }])
})

test('an app that ran images gets a repository and is built from it', async () => {
  const { appId, appEnvId } = await world.appEnv({})
  await world.deploy(appEnvId)
  await world.perform(updateApp, { appId, useImage: false, gitRepo: NEW })
  await world.perform(applyChanges, { appEnvId })
  expect(await sourcesOf(appEnvId)).toEqual([undefined, NEW])
})

describe('a change of the repository', () => {
  test.each([
    ['of an app whose source is uploaded', { isCliDeployment: true, gitRepo: undefined }, NEW],
    ['to nothing', {}, ''],
    ['to what no host can have', {}, 'my shop'],
    ['to another transport', {}, 'git@git.example.com:acme/shop.git'],
  ])('%s is refused', async (_title, app, gitRepo) => {
    const { appId } = await world.appEnv({
      app: { useImage: false, image: undefined, gitRepo: OLD, ...app },
      branch: 'main',
    })
    await expect(world.perform(updateApp, { appId, gitRepo })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('of a managed service is refused', async () => {
    const appId = await world.app({ dockerPreset: 'REDIS', port: undefined, useImage: undefined, image: undefined })
    await expect(world.perform(updateApp, { appId, gitRepo: NEW })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test('waits until the environments of pull requests are gone', async () => {
    const { appId, appEnvId } = await built()
    const preview = await world.appEnv({ appId, name: 'pr-1', branch: 'main' })
    await world.database.appEnv.update({
      where: { id: preview.appEnvId },
      data: { pullRequest: { number: 1, ref: 'refs/pull/1/head', isFork: false } },
    })
    const change = () => world.perform(updateApp, { appId, gitRepo: NEW })
    await expect(change()).rejects.toMatchObject({ reason: 'PULL_REQUEST_ENVS_LEFT' })
    // Another spelling of the same repository is no other one.
    await world.perform(updateApp, { appId, gitRepo: 'https://git.example.com/Acme/shop' })
    await world.perform(deleteAppEnv, { appEnvId: preview.appEnvId })
    await expect(change()).resolves.not.toHaveProperty('warning')
    await world.perform(setPullRequestEnvs, { appId, baseAppEnvId: appEnvId })
    await expect(world.perform(updateApp, { appId, gitRepo: OLD })).resolves.toHaveProperty('warning')
  })

  test('needs the right to deploy where pushes deploy, and says what pushes do now', async () => {
    const { appId, appEnvId } = await built()
    const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:read', 'svc:write:config'] })
    await world.perform(updateApp, { appId, gitRepo: NEW }, { as: token })
    await world.perform(setAutoDeploy, { appEnvId })
    const change = (as: string) => world.perform(updateApp, { appId, gitRepo: OLD }, { as })
    await expect(change(token)).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'SCOPE_MISSING' })
    const { warning } = await change(world.adminToken)
    expect(warning).toContain('Pushes and pull requests of the new repository deploy from now on')
  })
})
