import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
    const reported = await call('POST', '/app-env/upload-storage-event', { token, body: { envName, storageKey } })
    expect(reported.body).toMatchObject({ success: true, appEnv: { status: 'UPDATING' } })
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
