import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let count = 0

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_BUILDER: 'engine' } })
})

afterAll(() => world.close())

const IMAGE = { port: 80, useImage: true, image: 'nginx:alpine' }
const REPOSITORY = { port: 80, gitRepo: 'https://git.example.com/acme/shop.git' }

type Options = Parameters<World['perform']>[2]

const create = (app: object, appEnv: object, options: Options = {}) => {
  count += 1
  return world.perform(
    createApp,
    { name: `First ${count}`, ...app, appEnv: { name: 'production', ...appEnv } },
    options,
  )
}

const kindOf = async (operationId: string | null) =>
  operationId === null ? null : (await world.database.operation.findUniqueOrThrow({ where: { id: operationId } })).kind

describe('createApp with its first environment', () => {
  test.each([
    ['an image is deployed', IMAGE, {}, 'DEPLOY_IMAGE'],
    ['a repository is built', REPOSITORY, { branch: 'main' }, 'BUILD'],
    ['a managed service is deployed', { dockerPreset: 'REDIS' }, {}, 'DEPLOY_IMAGE'],
    ['source that is uploaded comes later', { port: 80, isCliDeployment: true }, {}, null],
    ['nothing is deployed that names no source', { port: 80 }, {}, null],
    ['nothing is deployed with deploy false', IMAGE, { deploy: false }, null],
  ])('%s', async (_title, app, appEnv, kind) => {
    const { appId, appEnvId, operationId } = await create(app, appEnv)
    const made = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId ?? '' } })
    expect(made).toMatchObject({ appId, accountId: world.accountId, regionCode: 'local' })
    expect(made.status).toBe(kind === null ? 'PENDING' : 'UPDATING')
    expect(await kindOf(operationId)).toBe(kind)
    const [entry] = await world.auditOf(appId)
    expect(entry).toMatchObject({ action: 'createApp' })
    expect(entry?.details).toMatchObject({ appEnvId, region: 'local' })
  })

  test.each([
    ['a value', IMAGE, { containers: 0 }, 'appEnv.containers'],
    ['what its type refuses', { dockerPreset: 'REDIS' }, { releaseCommand: { command: 'x' } }, 'appEnv.releaseCommand'],
    ['what only services have', IMAGE, { disk: 1024 }, 'appEnv.disk'],
    ['a missing branch', REPOSITORY, {}, 'appEnv.branch'],
    ['an unknown field', IMAGE, { size: 1 }, 'appEnv.size'],
  ])('refuses %s by its place, and leaves no app', async (_title, app, appEnv, field) => {
    const before = await world.database.app.count()
    await expect(create(app, appEnv)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { fields: [expect.objectContaining({ field })] },
    })
    expect(await world.database.app.count()).toBe(before)
  })

  test('deploy true needs something to deploy', async () => {
    await expect(create({ port: 80 }, { deploy: true })).rejects.toMatchObject({ reason: 'SOURCE_NOT_CONFIGURED' })
  })

  test('a dry run names nothing that will never exist', async () => {
    const { changes, ...answer } = (await create(IMAGE, {}, { dryRun: true })) as { changes?: object }
    expect(answer).toEqual({ dryRun: true })
    expect(changes).toMatchObject({ region: 'local', kind: 'DEPLOY_IMAGE' })
    expect(JSON.stringify(changes)).not.toMatch(/"(app|env|op|con)_/)
  })

  test('a repeat is answered with the same ids', async () => {
    count += 1
    const input = { name: `First ${count}`, ...IMAGE, appEnv: { name: 'production' } }
    const once = await world.perform(createApp, input, { idempotencyKey: 'first-app-env' })
    expect(await world.perform(createApp, input, { idempotencyKey: 'first-app-env' })).toEqual(once)
  })

  test('a token that may not deploy creates both, with deploy false', async () => {
    const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:write:config'] })
    await expect(create(IMAGE, {}, { as: token })).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'SCOPE_MISSING' })
    const { operationId } = await create(IMAGE, { deploy: false }, { as: token })
    expect(operationId).toBeNull()
  })
})

describe('where there is one answer', () => {
  test('createAppEnv needs neither account nor region, and deploys when asked', async () => {
    const appId = await world.app()
    const { appEnvId, operationId } = await world.perform(createAppEnv, { appId, name: 'beta', deploy: true })
    const made = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    expect(made).toMatchObject({ accountId: world.accountId, regionCode: 'local', status: 'UPDATING' })
    expect(await kindOf(operationId)).toBe('DEPLOY_IMAGE')
  })

  test('without a current account, the account is asked for', async () => {
    const user = await world.user({ roles: ['TECHNICAL'] })
    await world.database.user.update({ where: { id: user.userId }, data: { currentAccountId: null } })
    await expect(create(IMAGE, {}, { as: user.token })).rejects.toMatchObject({ reason: 'NO_CURRENT_ACCOUNT' })
  })

  test('with several regions, the region is asked for, with those that there are', async () => {
    const other = await createWorld()
    try {
      await other.database.region.create({
        data: { code: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' },
      })
      const appId = await other.app()
      await expect(other.perform(createAppEnv, { appId, name: 'beta' })).rejects.toMatchObject({
        details: { fields: [{ field: 'region', message: 'is required: one of local, north' }] },
      })
    } finally {
      await other.close()
    }
  })
})
