import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { olderPreset } from '../../src/app-types/older-presets.ts'
import { buildPresets, versionProblem } from '../../src/app-types/presets.ts'
import { type Call, type RestAnswer, serveRest } from '../support/rest.ts'
import { createWorld, type World } from '../support/world.ts'

// What clients of the service that the seed describes are known to send (docs/compatibility.md), as they send it.

let world: World
let call: (method: string, path: string, options?: Call) => Promise<RestAnswer>
let api: ReturnType<typeof serveRest>['api']

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_INGRESS_URL: 'https://apps.example.com:8443' } })
  ;({ call, api } = serveRest(world))
})
afterAll(() => world.close())

async function uploaded() {
  const { appEnvId } = await world.appEnv({ app: { useImage: false, image: undefined, isCliDeployment: true } })
  const { cliEnvName: envName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  return { appEnvId, envName, token }
}

const requestKey = (token: string, body: object) => call('POST', '/app-env/request-storage-key', { token, body })

describe('uploads', () => {
  test.each(['tgz', '.tgz', 'zip', '.zip', 'tar.gz', '.tar.gz', undefined])('take the extension %s', async (given) => {
    const { envName, token } = await uploaded()
    const answer = await requestKey(token, { envName, ...(given ? { fileExtension: given } : {}) })
    expect(answer.status).toBe(200)
    const { fileExtension } = await world.database.upload.findUniqueOrThrow({ where: { id: answer.body.storageKey } })
    expect(fileExtension).toBe(given ? `.${given.replace(/^\./, '')}` : '.tgz')
  })

  test('refuse any other extension by the ones that there are', async () => {
    const { envName, token } = await uploaded()
    const { status, body } = await requestKey(token, { envName, fileExtension: 'rar' })
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'fileExtension: must be .zip, .tgz or .tar.gz, with or without the first dot',
    })
  })

  test('name the address of the environment with scheme, host and port', async () => {
    const { envName, token } = await uploaded()
    const { envUrl } = (await requestKey(token, { envName })).body
    expect(envUrl).toBe(`https://${envName}.berth.localhost:8443`)
  })

  test('are reported as upload-storage-event, and build', async () => {
    const { envName, token } = await uploaded()
    const { uploadUrl, storageKey } = (await requestKey(token, { envName, fileExtension: 'tgz' })).body
    const { pathname, search } = new URL(uploadUrl)
    const headers = { 'content-type': 'application/x-gzip' }
    const put = await api.request(pathname + search, { method: 'PUT', body: gzipSync('an archive'), headers })
    expect(put.status).toBe(200)
    const told = await call('POST', '/app-env/upload-storage-event', { token, body: { envName, storageKey } })
    expect(told.body).toMatchObject({ success: true, appEnv: { status: 'UPDATING' } })
    const refused = await call('POST', '/app-env/upload-storage-event', { token, body: { envName } })
    expect(refused.body).toMatchObject({ success: false, code: 'INVALID_INPUT' })
  })
})

describe('an environment token', () => {
  const OBSERVED = [
    '/app-env/status',
    '/app-env/history',
    '/app-env/pods',
    '/app-env/metrics',
    '/app-env/metrics-series',
    '/logs',
    '/operations',
  ]
  const query = (path: string, envName: string) => ({
    envName,
    ...(path.endsWith('series') ? { metric: 'cpu_usage' } : {}),
  })

  test.each(OBSERVED)('reads %s of its own environment, and of no other', async (path) => {
    const { envName, token } = await uploaded()
    const other = await uploaded()
    expect((await call('GET', path, { token, query: query(path, envName) })).status).toBe(200)
    const refused = await call('GET', path, { token, query: query(path, other.envName) })
    expect(refused.body).toMatchObject({ status: 403, reason: 'OTHER_ENVIRONMENT' })
  })

  test('reads nothing else of it', async () => {
    const { envName, token } = await uploaded()
    for (const path of ['/app-env', '/app-env/variables', '/app-env/hosts', '/app-env/token', '/app-envs', '/apps']) {
      const isList = path === '/app-envs' || path === '/apps'
      const answer = await call('GET', path, { token, query: isList ? {} : { envName } })
      expect(answer.body, path).toMatchObject({ status: 403 })
    }
    const { body } = await call('GET', '/app-env', { token, query: { envName } })
    expect(body.message).toBe('An environment token may operate and watch its own environment, and nothing else')
  })
})

describe('DELETE', () => {
  const deleted = async (options: (ids: { appId: string }) => Call) => {
    const appId = await world.app()
    return call('DELETE', '/app', options({ appId }))
  }

  test('takes its ids from the query', async () => {
    expect((await deleted(({ appId }) => ({ query: { appId } }))).status).toBe(200)
  })

  test('takes its ids from the body', async () => {
    expect((await deleted(({ appId }) => ({ body: { appId } }))).status).toBe(200)
  })

  test('takes the same id from both, and refuses two', async () => {
    expect((await deleted(({ appId }) => ({ query: { appId }, body: { appId } }))).status).toBe(200)
    const two = await deleted(({ appId }) => ({ query: { appId }, body: { appId: 'another' } }))
    expect(two.body).toMatchObject({ status: 400, errors: [{ field: 'appId' }] })
  })
})

test('PATCH /app-env/branch answers with the branch', async () => {
  const { appEnvId } = await world.appEnv()
  const { body } = await call('PATCH', '/app-env/branch', { body: { appEnvId, gitBranch: 'develop' } })
  expect(body).toMatchObject({ success: true, appEnv: { appEnvId, gitBranch: 'develop' }, appliedImmediately: false })
  const renamed = await call('PATCH', '/app-env/name', { body: { appEnvId, name: 'main' } })
  expect(Object.keys(renamed.body.appEnv)).toEqual(['appEnvId', 'name', 'status'])
})

test('PATCH /app-env/healthcheck takes the names that the fields have on the app', async () => {
  const { appEnvId } = await world.appEnv()
  const patch = (fields: object) => call('PATCH', '/app-env/healthcheck', { body: { appEnvId, ...fields } })
  expect((await patch({ healthCheckPath: '/ready', healthCheckPort: 9000 })).status).toBe(200)
  const read = async () => (await call('GET', '/app-env', { query: { appEnvId } })).body.healthCheck
  expect(await read()).toEqual({ path: '/ready', port: 9000 })
  expect((await patch({ healthCheckPath: '' })).status).toBe(200)
  expect(await read()).toEqual({ port: 9000 })
  expect((await patch({ healthCheckPath: '/a', path: '/b' })).body.errors[0].field).toBe('healthCheckPath')
})

describe('metrics', () => {
  test('have the documented shape, beside Berth’s own', async () => {
    const { appEnvId } = await world.appEnv()
    await call('PATCH', '/app-env/scaling', { body: { appEnvId, autoScaling: { min: 1, max: 4, cpuPercent: 60 } } })
    await world.database.appEnv.update({ where: { id: appEnvId }, data: { replicasDesired: 2, replicasRunning: 2 } })
    const use = { cpuMillicores: 250, memoryMb: 128, cpuLimit: 1000, memoryLimit: 512 }
    await world.database.metricSample.create({ data: { appEnvId, containerId: 1, at: new Date(), ...use } })
    const { body } = await call('GET', '/app-env/metrics', { query: { appEnvId } })
    const updatedAt = expect.any(String)
    expect(body).toMatchObject({
      appEnvId,
      timestamp: expect.any(String),
      resources: {
        cpu: { allocated: 2, used: 0.25, usagePercent: 25, updatedAt },
        memory: { allocated: 1024, used: 128, usagePercent: 25, updatedAt },
      },
      containers: { desired: 2, running: 2, ready: 0, updatedAt: null },
      autoScaling: { enabled: true, min: 1, max: 4, cpuPercent: 60, memoryPercent: null },
      allocated: { cpu: 2000, memory: 1024 },
      used: { cpu: 250, memory: 128 },
    })
  })
})

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
