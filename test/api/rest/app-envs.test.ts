import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
})

afterAll(() => world.close())

const SECRET = 'hunter2-hunter2'

describe('an environment', () => {
  test('is created, read, changed and deleted, by id and by name', async () => {
    const appId = await world.app({ name: 'Shop' })
    const fields = { accountId: world.accountId, appId, name: 'production', region: 'local', zClouds: 2 }
    const created = await call('POST', '/app-env', { body: fields })
    expect(Object.keys(created.body)).toEqual(['appEnvId'])
    const { appEnvId } = created.body
    const byName = await call('GET', '/app-env', { query: { envName: 'default-shop-production' } })
    expect(byName.body).toMatchObject({
      appEnvId,
      status: 'PENDING',
      hosts: ['default-shop-production.berth.localhost'],
      url: 'http://default-shop-production.berth.localhost:8080',
      resources: { containers: 1, zClouds: 2, cpu: 2, memory: 1024 },
    })
    const changed = await call('PUT', '/app-env', { body: { appEnvId, name: 'live' } })
    expect(changed.body).toMatchObject({ name: 'live', appliedImmediately: false })
    expect(Object.keys(changed.body)).toEqual([...Object.keys(byName.body), 'appliedImmediately'])
    const deleted = await call('DELETE', '/app-env', { query: { envName: 'default-shop-production' } })
    expect(deleted.body).toEqual({ message: expect.any(String) })
    expect(deleted.headers.get('operation-location')).toMatch(/operationId=op_/)
    expect((await call('GET', '/app-env', { query: { appEnvId } })).status).toBe(404)
  })

  test('is refused without an address, and found by its id even if the name belongs to another', async () => {
    expect((await call('GET', '/app-env')).body.errors).toEqual([expect.objectContaining({ field: 'appEnvId' })])
    const { appEnvId } = await world.appEnv()
    expect((await call('GET', '/app-env', { query: { appEnvId, envName: 'nobody' } })).body.appEnvId).toBe(appEnvId)
  })

  test('never shows variables in a list, and masks secrets in its record', async () => {
    const envVars = [
      { name: 'PASSWORD', value: SECRET, isSecret: true },
      { name: 'COLOUR', value: 'red' },
    ]
    const { appEnvId, appId } = await world.appEnv({ envVars })
    const list = await call('GET', '/app-envs', { query: { appId } })
    expect(list.body.appEnvs).toHaveLength(1)
    expect(list.body.appEnvs[0]).toMatchObject({ appEnvId, status: 'pending' })
    expect(list.body.appEnvs[0]).not.toHaveProperty('envVars')
    const record = await call('GET', '/app-env', { query: { appEnvId } })
    expect(record.text).not.toContain(SECRET)
    expect(record.body.envVars).toMatchObject([
      { name: 'COLOUR', value: 'red' },
      { name: 'PASSWORD', value: '***SECRET***' },
    ])
  })

  test('shows secrets to an admin who asks, and leaves an audit entry', async () => {
    const { appEnvId } = await world.appEnv({ envVars: [{ name: 'PASSWORD', value: SECRET, isSecret: true }] })
    const query = { appEnvId, decrypt: 'true' }
    const technical = await world.user({ roles: ['TECHNICAL'] })
    expect((await call('GET', '/app-env', { query, token: technical.token })).body).toMatchObject({ status: 403 })
    const shown = await call('GET', '/app-env', { query, headers: { 'X-Request-Id': 'reveal' } })
    expect(shown.body.envVars[0].value).toBe(SECRET)
    expect((await world.auditOf(appEnvId)).at(-1)).toMatchObject({ action: 'revealVariables', requestId: 'reveal' })
    expect((await call('GET', '/app-env', { query: { appEnvId, decrypt: '1' } })).status).toBe(400)
  })

  test('applies changes at once when asked to', async () => {
    const { appEnvId } = await world.appEnv()
    await world.deploy(appEnvId)
    const body = { appEnvId, startupConfig: { command: 'run' }, applyImmediately: true }
    const changed = await call('PUT', '/app-env', { body })
    expect(changed.body).toMatchObject({ appliedImmediately: true, status: 'UPDATING' })
    expect(changed.headers.get('operation-location')).toMatch(/operationId=op_/)
    expect(changed.body).not.toHaveProperty('notAppliedReason')
  })

  test('says why changes were not applied at once', async () => {
    const { appEnvId } = await world.appEnv()
    const apply = async () => {
      const { body } = await call('PUT', '/app-env', { body: { appEnvId, applyImmediately: true } })
      return [body.appliedImmediately, body.notAppliedReason]
    }
    expect(await apply()).toEqual([false, expect.stringMatching(/Nothing was ever deployed here/)])
    await world.deploy(appEnvId)
    expect(await apply()).toEqual([false, expect.stringMatching(/no changes are pending/)])
    const stop = await call('POST', '/app-env/stop', { body: { appEnvId } })
    await world.endOperation(stop.headers.get('operation-location')?.split('=')[1] ?? '')
    expect(await apply()).toEqual([false, expect.stringMatching(/stopped; start it/)])
  })

  test('of a Job explains how to allow images, and then accepts one', async () => {
    const job = { dockerPreset: 'JOB', port: undefined, useImage: undefined, image: undefined }
    const { appId, appEnvId } = await world.appEnv({ app: job })
    const deploy = () => call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:1' } })
    const refused = (await deploy()).body
    expect(refused).toMatchObject({ status: 409, reason: 'IMAGE_NOT_ENABLED' })
    expect(refused.message).toMatch(/^useImage is off for this Job: turn it on \(PATCH \/app/)
    await call('PATCH', '/app', { body: { appId, useImage: true } })
    expect((await deploy()).status).toBe(200)
  })
})

describe('status and history', () => {
  test('show what runs, what was requested last, and which versions can be rolled back to', async () => {
    const { appEnvId } = await world.appEnv()
    const first = await world.deploy(appEnvId, 'nginx:1')
    const second = await world.deploy(appEnvId, 'nginx:2')
    const failing = await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:3' } })
    await world.endOperation(failing.headers.get('operation-location')?.split('=')[1] ?? '', 'FAILED')
    const status = await call('GET', '/app-env/status', { query: { appEnvId } })
    expect(status.body).toMatchObject({
      status: 'RUNNING',
      currentContentId: second,
      currentVersion: 2,
      latestDeployment: { version: 3, status: 'FAILED', isFailed: true, reason: expect.any(String) },
      replicas: { desired: 1, ready: 1 },
    })
    const history = await call('GET', '/app-env/history', { query: { appEnvId, limit: '2' } })
    expect(history.body.activities.map((activity: { version: number }) => activity.version)).toEqual([3, 2])
    expect(history.body.pagination).toEqual({ limit: 2, offset: 0, total: 3, hasMore: true })
    const rest = await call('GET', '/app-env/history', { query: { appEnvId, offset: '2' } })
    expect(rest.body.activities).toMatchObject([{ contentId: first, canRollback: true, containerImage: 'nginx:1' }])
    const later = { appEnvId, fromDate: '2999-01-01T00:00:00Z' }
    expect((await call('GET', '/app-env/history', { query: later })).body.pagination.total).toBe(0)
    expect((await call('GET', '/app-env/history', { query: { appEnvId, limit: '201' } })).status).toBe(400)
  })
})

describe('an environment token', () => {
  test('operates and watches its own environment, and does nothing else', async () => {
    const { appEnvId } = await world.appEnv()
    const other = await world.appEnv()
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    const deploy = (id: string) =>
      call('POST', '/app-env/deploy-image', { token, body: { appEnvId: id, image: 'nginx:1' } })
    const own = await deploy(appEnvId)
    expect(own.status).toBe(200)
    expect((await deploy(other.appEnvId)).body).toMatchObject({
      status: 403,
      reason: 'OTHER_ENVIRONMENT',
      success: false,
    })
    const operationId = own.headers.get('operation-location')?.split('=')[1] ?? ''
    expect((await call('GET', '/operation', { token, query: { operationId } })).status).toBe(200)
    for (const path of ['/apps', '/app-envs', '/accounts', '/tokens', '/regions', '/user/token']) {
      expect((await call('GET', path, { token })).body).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    }
    expect((await call('GET', '/app-env/status', { token, query: { appEnvId } })).status).toBe(200)
    expect((await call('GET', '/app-env', { token, query: { appEnvId } })).status).toBe(403)
    expect((await call('GET', '/app-env/token', { query: { appEnvId } })).body).toMatchObject({
      token: null,
      tokenId: expect.stringMatching(/^tok_/),
    })
  })
})
