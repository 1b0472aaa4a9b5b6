import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { representedBy } from '../../../src/api/rest/protocol/representation.ts'
import type { WriteRoute } from '../../../src/api/rest/protocol/route.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

// Every answer is compared with the OpenAPI document, that of a representation with `x-representation` of its call.

let world: World
let call: ReturnType<typeof serveRest>['call']
let accountId: string
let appEnvId: string
let appId: string

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
  accountId = world.accountId
  ;({ appEnvId, appId } = await world.appEnv())
})
afterAll(() => world.close())

const WHOLE = { Prefer: 'return=representation' }

describe('Prefer: return=representation', () => {
  test('answers a create with what GET shows of the new one', async () => {
    const body = { name: 'Shop', accountId, port: 80, useImage: true, image: 'nginx:1' }
    const { body: made, headers } = await call('POST', '/app', { body, headers: WHOLE })
    expect(headers.get('preference-applied')).toBe('return=representation')
    const read = await call('GET', '/app', { query: { appId: made.appId } })
    expect(made).toEqual(read.body)
    expect(headers.get('etag')).toBe(read.headers.get('etag'))
  })

  test('answers a change with what GET shows after it, and its ETag is right for the next one', async () => {
    const body = { appEnvId, name: 'live' }
    const changed = await call('PATCH', '/app-env/name', { body, headers: WHOLE })
    expect(changed.body).toEqual((await call('GET', '/app-env', { query: { appEnvId } })).body)
    expect(changed.body.name).toBe('live')
    const again = { body: { appEnvId, name: 'production' }, headers: { 'If-Match': changed.headers.get('etag') ?? '' } }
    expect((await call('PATCH', '/app-env/name', again)).body.appEnv.name).toBe('production')
  })

  test('goes together with a wait: the object is that of the end', async () => {
    const body = { appEnvId, image: 'nginx:1' }
    const deploying = call('POST', '/app-env/deploy-image', {
      body,
      headers: { Prefer: 'wait=60, return=representation' },
    })
    await expect.poll(() => world.operationsOf(appEnvId)).toHaveLength(1)
    await world.endOperation((await world.operationsOf(appEnvId))[0]?.id ?? '')
    const { body: appEnv, headers } = await deploying
    expect(headers.get('preference-applied')).toBe('wait=60, return=representation')
    expect(headers.get('operation-status')).toBe('SUCCEEDED')
    expect(appEnv).toMatchObject({ appEnvId, status: 'RUNNING', currentVersion: 1 })
  })

  test('shows the operation that a call has begun, of calls about operations', async () => {
    await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:2' } })
    const open = (await world.operationsOf(appEnvId)).at(-1)?.id
    const { body } = await call('POST', '/operation/cancel', { body: { operationId: open }, headers: WHOLE })
    expect(body).toMatchObject({ operationId: open, status: 'CANCELLED' })
  })

  test('answers a repeat of the call with the object as it is by now', async () => {
    const headers = { Prefer: 'return=representation', 'Idempotency-Key': 'port' }
    await call('PATCH', '/app', { body: { appId, port: 81 }, headers })
    await call('PATCH', '/app', { body: { appId, port: 82 } })
    const repeat = await call('PATCH', '/app', { body: { appId, port: 81 }, headers })
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(repeat.body.port).toBe(82)
  })

  test.each([undefined, 'return=minimal', 'return', 'return=whole', 'handling=lenient'])(
    'is the only one that changes the answer, unlike %j',
    async (prefer) => {
      const answer = await call('PATCH', '/app', {
        body: { appId, port: 83 },
        headers: prefer === undefined ? {} : { Prefer: prefer },
      })
      expect(Object.keys(answer.body).sort()).toEqual(['appId', 'dockerPreset', 'environmentsAffected', 'name', 'port'])
      expect(answer.headers.get('preference-applied')).toBeNull()
    },
  )

  test('changes nothing about a dry run, a refusal, or an answer that shows a secret once', async () => {
    const dry = await call('PATCH', '/app', { body: { appId, port: 84 }, query: { dryRun: 'true' }, headers: WHOLE })
    expect(dry.body).toMatchObject({ dryRun: true })
    const refused = await call('PATCH', '/app', { body: { appId: 'app_none', port: 84 }, headers: WHOLE })
    expect(refused.status).toBe(404)
    const token = { kind: 'USER', name: 'CI' }
    expect((await call('POST', '/token', { body: token, headers: WHOLE })).body.token).toMatch(/^berth_/)
  })

  test('leaves the usual answer to a caller that may not read the object', async () => {
    const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
    const body = { appEnvId, image: 'nginx:3' }
    const { status, headers } = await call('POST', '/app-env/deploy-image', { token, body, headers: WHOLE })
    expect([status, headers.get('preference-applied')]).toEqual([200, null])
  })

  test('is had by writes whose object has a GET, and not by those that show a secret once', () => {
    const writes = routes.filter((route): route is WriteRoute => 'command' in route)
    const pathsOf = (names: string[]) =>
      Object.fromEntries(
        writes
          .filter(({ command }) => names.includes(command.name))
          .map((route) => [route.command.name, representedBy(route, routes)?.path ?? null]),
      )
    expect(
      pathsOf(['createApp', 'deployImage', 'addHost', 'createJobRun', 'retryOperation', 'installSolution']),
    ).toEqual({
      createApp: '/app',
      deployImage: '/app-env',
      addHost: '/app-env/host',
      createJobRun: '/app-env/job-run',
      retryOperation: '/operation',
      installSolution: '/solutions/installation',
    })
    expect(pathsOf(['createToken', 'createWebhook', 'rotateCredentials', 'downloadBackup', 'deleteApp'])).toEqual({
      createToken: null,
      createWebhook: null,
      rotateCredentials: null,
      downloadBackup: null,
      deleteApp: null,
    })
  })
})
