import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { olderPreset } from '../../src/app-types/older-presets.ts'
import { buildPresets, versionProblem } from '../../src/app-types/presets.ts'
import { type Call, type RestAnswer, serveRest } from '../support/rest.ts'
import { createWorld, type World } from '../support/world.ts'

// What clients of the service that the seed describes are known to send about apps and accounts (docs/compatibility.md).

let world: World
let call: (method: string, path: string, options?: Call) => Promise<RestAnswer>

beforeAll(async () => {
  world = await createWorld()
  ;({ call } = serveRest(world))
})
afterAll(() => world.close())

/** Every name that the documentation of that service has ever listed, and what it is today. */
const OLDER = {
  NODE_JS_18_NEXT_JS: ['NEXT_JS', 'NEXT_JS_NODE_JS_18'],
  NODE_JS_18_REMIX: ['REMIX', 'REMIX_NODE_JS_18'],
  NODE_JS_18_VITE: ['VITE', 'VITE_NODE_JS_18'],
  NODE_JS_18_VUE_JS: ['VUE_JS', 'VUE_JS_NODE_JS_18'],
  NODE_JS_18_EXPRESS: ['EXPRESS', 'EXPRESS_NODE_JS_18'],
  NODE_JS_18_INSTALL_START: ['NODE_JS_INSTALL_START', 'NODE_JS_INSTALL_START_NODE_JS_18'],
  NODE_JS_18_INSTALL_BUILD_START: ['NODE_JS_INSTALL_BUILD_START', 'NODE_JS_INSTALL_BUILD_START_NODE_JS_18'],
  NODE_JS_18_ANGULAR: ['ANGULAR', 'ANGULAR_NODE_JS_18'],
  EXPRESS_NODE_JS_20: ['EXPRESS', 'EXPRESS_NODE_JS_20'],
  METEOR_JS_3_0_3: ['METEOR_JS', 'METEOR_JS_3_0'],
  METEOR_JS_3_0: ['METEOR_JS', 'METEOR_JS_3_0'],
  METEOR_JS_2_16: ['METEOR_JS', 'METEOR_JS_2_16'],
  METEOR_JS_2_13_3: ['METEOR_JS', 'METEOR_JS_2_16'],
  METEOR_JS_2_2_4: ['METEOR_JS', 'METEOR_JS_2_16'],
}

describe('older preset names', () => {
  test.each(Object.entries(OLDER))('%s is %s', async (older, [preset, version]) => {
    expect(olderPreset(older)).toEqual({ preset, version })
    expect(versionProblem(preset as string, version as string)).toBeNull()
    const body = { name: 'Shop', accountId: world.accountId, port: 3000, dockerPreset: older }
    const { appId } = (await call('POST', '/app', { body })).body
    const app = (await call('GET', '/app', { query: { appId } })).body
    expect(app).toMatchObject({ dockerPreset: preset, dockerPresetVersion: version })
  })

  test('are no name of today', () => {
    for (const name of buildPresets().keys()) expect(olderPreset(name), name).toBeNull()
  })

  test('are accepted by PATCH /app, and as dockerPresetVersion', async () => {
    const appId = await world.app({ useImage: false, image: undefined, dockerPreset: 'EXPRESS' })
    const changed = await call('PATCH', '/app', { body: { appId, dockerPreset: 'METEOR_JS_3_0_3' } })
    expect(changed.body).toMatchObject({ dockerPreset: 'METEOR_JS' })
    expect((await call('GET', '/app', { query: { appId } })).body.dockerPresetVersion).toBe('METEOR_JS_3_0')
    const body = { appId, dockerPreset: 'EXPRESS', dockerPresetVersion: 'NODE_JS_20_EXPRESS' }
    expect((await call('PATCH', '/app', { body })).status).toBe(200)
    expect((await call('GET', '/app', { query: { appId } })).body.dockerPresetVersion).toBe('EXPRESS_NODE_JS_20')
  })

  test.each(['METEOR_JS_1_8_1', 'NODE_JS_12_EXPRESS'])(
    '%s is refused by the versions that there are',
    async (older) => {
      const body = { name: 'Shop', accountId: world.accountId, port: 3000, dockerPreset: older }
      const answer = await call('POST', '/app', { body })
      expect(answer.status).toBe(400)
      expect(answer.body.errors).toEqual([
        {
          field: 'dockerPresetVersion',
          message: expect.stringMatching(/^must be one of (METEOR_JS_2_16|EXPRESS_NODE)/),
        },
      ])
    },
  )
})

describe.each(['isDatabase', 'Database', 'DB'])('the field %s of POST /app', (flag) => {
  const post = (fields: object) =>
    call('POST', '/app', { body: { name: 'Cache', accountId: world.accountId, dockerPreset: 'REDIS', ...fields } })

  test('true means appType db, and false nothing', async () => {
    for (const fields of [{ [flag]: true }, { [flag]: false }, { [flag]: true, appType: 'db' }]) {
      const { status, body } = await post(fields)
      expect(status, JSON.stringify(body)).toBe(200)
      expect((await call('GET', '/app', { query: { appId: body.appId } })).body.appType).toBe('db')
    }
  })

  test('is required to agree with appType and dockerPreset', async () => {
    const refusals = [
      [{ [flag]: true, appType: 'function' }, flag, 'means appType db, and appType is function: send one of the two'],
      [{ [flag]: true, dockerPreset: 'EXPRESS', port: 80 }, 'appType', 'does not fit dockerPreset EXPRESS'],
      [{ [flag]: 'yes' }, flag, 'must be true or false'],
    ] as const
    for (const [fields, field, message] of refusals)
      expect((await post(fields)).body.errors, JSON.stringify(fields)).toContainEqual({ field, message })
  })
})

test('the builder BUILDPACK is refused by name, with the alternatives', async () => {
  const body = { name: 'Shop', accountId: world.accountId, port: 3000, builder: 'BUILDPACK' }
  const refused = (await call('POST', '/app', { body })).body
  expect(refused).toMatchObject({ status: 400, errors: [{ field: 'builder' }] })
  expect(refused.message).toMatch(/BUILDPACK.*NIXPACKS.*DOCKER/)
  const other = (await call('POST', '/app', { body: { ...body, builder: 'MAKE' } })).body
  expect(other.message).toBe('builder: must be one of DOCKER, NIXPACKS')
})

describe('POST /account', () => {
  const login = {
    registryServer: 'https://registry.example.com',
    registryEmail: 'ann@example.com',
    registryUsername: 'ann',
    registryPassword: 'dckr_pat_00000',
  }

  test('with the login of a registry creates the account and its credential', async () => {
    const { body } = await call('POST', '/account', { body: { name: 'With registry', ...login } })
    const { credentials } = (await call('GET', '/credentials', { query: { accountId: body.accountId } })).body
    expect(credentials).toMatchObject([
      { credentialId: body.credentialId, type: 'CONTAINER_REGISTRY', name: 'registry.example.com' },
    ])
    const data = { registry: login.registryServer, username: 'ann', email: 'ann@example.com' }
    expect(credentials[0].data).toEqual(data)
    const app = { name: 'Shop', accountId: body.accountId, port: 1, imagePullAccountSecretId: body.credentialId }
    expect((await call('POST', '/app', { body: app })).status).toBe(200)
  })

  test('with a part of a login names what is missing, and creates nothing', async () => {
    const name = 'Half a login'
    const { status, body } = await call('POST', '/account', { body: { name, registryUsername: 'ann' } })
    const fields = body.errors.map(({ field }: { field: string }) => field)
    expect({ status, fields }).toEqual({ status: 400, fields: ['registryServer', 'registryPassword'] })
    expect(await world.database.account.count({ where: { name } })).toBe(0)
  })
})

describe('volumes of an app', () => {
  const volumesOf = async (appEnvId: string) =>
    (await call('GET', '/app-env', { query: { appEnvId } })).body.volume as { path: string; disk: number } | null

  test('useVolume with volumePath gives every environment a volume, and new ones too', async () => {
    const first = await world.appEnv()
    const { appId } = first
    const { body } = await call('PATCH', '/app', { body: { appId, useVolume: true, volumePath: '/data' } })
    expect(body).toMatchObject({ appId, environmentsAffected: 1 })
    expect(await volumesOf(first.appEnvId)).toMatchObject({ path: '/data' })
    const second = await world.appEnv({ appId, name: 'beta' })
    expect(await volumesOf(second.appEnvId)).toMatchObject({ path: '/data' })
    const app = (await call('GET', '/app', { query: { appId } })).body
    expect(app).toMatchObject({ useVolume: true, volumePath: '/data' })
    const again = await call('PATCH', '/app', { body: { appId, useVolume: true } })
    expect(again.body.environmentsAffected).toBe(0)
  })

  test('a new volumePath moves the volumes, and keeps their sizes', async () => {
    const { appId, appEnvId } = await world.appEnv({ volume: { path: '/data', disk: 77 } })
    await call('PATCH', '/app', { body: { appId, volumePath: '/var/data' } })
    expect(await volumesOf(appEnvId)).toMatchObject({ path: '/var/data', disk: 77 })
  })

  test('useVolume false detaches them', async () => {
    const { appId, appEnvId } = await world.appEnv({ volume: { path: '/data', disk: 77 } })
    const { body } = await call('PATCH', '/app', { body: { appId, useVolume: false } })
    expect(body.environmentsAffected).toBe(1)
    expect(await volumesOf(appEnvId)).toBeNull()
    expect((await call('GET', '/volumes')).body.volumes).toContainEqual(
      expect.objectContaining({ appEnvId, isAttached: false }),
    )
  })

  test.each([
    [{ useVolume: true }, 'volumePath'],
    [{ useVolume: false, volumePath: '/data' }, 'volumePath'],
    [{ volumePath: 'data' }, 'volumePath'],
  ])('%j is refused', async (fields, field) => {
    const { appId } = await world.appEnv()
    const { body } = await call('PATCH', '/app', { body: { appId, ...fields } })
    expect(body).toMatchObject({ status: 400, errors: [{ field }] })
  })

  test('are refused for apps that cannot have any', async () => {
    const appId = await world.app({ dockerPreset: 'FUNCTION' })
    const { body } = await call('PATCH', '/app', { body: { appId, useVolume: true, volumePath: '/data' } })
    expect(body).toMatchObject({
      status: 400,
      errors: [{ field: 'useVolume', message: 'cannot be set for a Function' }],
    })
  })
})

describe('POST /app', () => {
  const GITHUB = { gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '1' }
  const create = (git: object) =>
    call('POST', '/app', { body: { name: 'Shop', accountId: world.accountId, port: 3000, ...GITHUB, ...git } })

  test.each([
    { gitRepo: 'my shop' },
    { gitRepo: '..' },
    { gitRepo: 'a/b' },
    { gitRepo: 'x'.repeat(101) },
    { gitRepo: 'https://github.com' },
    { gitRepo: 'https://' },
    { gitNamespace: 'acme inc' },
    { gitNamespace: '../etc' },
  ])('refuses %j, which no host can have', async (git) => {
    const { body } = await create(git)
    expect(body).toMatchObject({ status: 400, errors: [{ field: Object.keys(git)[0] }] })
  })

  test.each([
    ['https://user:secret@github.com/acme/shop.git', 'a user name or a password'],
    ['https://github.com/acme/shop.git?token=secret', 'a query or a fragment'],
  ])('refuses %s at once: every answer about the app would show the secret', async (gitRepo, part) => {
    const { body } = await create({ gitRepo })
    expect(body).toMatchObject({ status: 400, errors: [{ field: 'gitRepo', message: expect.stringContaining(part) }] })
  })

  test('takes the scheme of an address in any case', async () => {
    expect(await create({ gitRepo: 'HTTPS://github.com/acme/shop' })).toMatchObject({ status: 200 })
  })

  test.each(['shop', 'shop.git', 'My_Shop-2.0', 'https://git.example.com/acme/shop.git', 'http://10.0.0.1:3000/shop'])(
    'takes the repository %s as far as its name goes',
    async (gitRepo) => {
      const { body } = await create({ gitRepo })
      const fields = (body.errors ?? []).map(({ field }: { field: string }) => field)
      expect(fields).not.toContain('gitRepo')
    },
  )
})
