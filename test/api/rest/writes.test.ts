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

describe('Idempotency-Key', () => {
  test('repeats the answer byte by byte, and does the work once', async () => {
    const { appEnvId } = await world.appEnv()
    const request = { body: { appEnvId, image: 'nginx:1' }, headers: { 'Idempotency-Key': 'once' } }
    const first = await call('POST', '/app-env/deploy-image', request)
    const again = await call('POST', '/app-env/deploy-image', request)
    expect(again.text).toBe(first.text)
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('operation-location')).toBe(first.headers.get('operation-location'))
    expect(await world.operationsOf(appEnvId)).toHaveLength(1)
  })

  test('repeats a whole record byte by byte, nested objects and all', async () => {
    const { appEnvId } = await world.appEnv({ envVars: [{ name: 'A', value: '1' }], startupConfig: { command: 'run' } })
    const request = { body: { appEnvId, preventDestroy: true }, headers: { 'Idempotency-Key': 'record' } }
    const first = await call('PUT', '/app-env', request)
    expect((await call('PUT', '/app-env', request)).text).toBe(first.text)
  })

  test('repeats a refusal with the request id of the first', async () => {
    const { appEnvId } = await world.appEnv()
    const headers = { 'Idempotency-Key': 'refused', 'X-Request-Id': 'first-refusal' }
    const first = await call('POST', '/app-env/start', { body: { appEnvId }, headers })
    await world.deploy(appEnvId)
    const again = await call('POST', '/app-env/start', {
      body: { appEnvId },
      headers: { ...headers, 'X-Request-Id': 'second' },
    })
    expect(again.text).toBe(first.text)
    expect(again.body.requestId).toBe('first-refusal')
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).toBe('second')
  })

  test('is 422 with another request, and 400 when it is too long', async () => {
    const { appEnvId } = await world.appEnv()
    const headers = { 'Idempotency-Key': 'mismatch' }
    await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:1' }, headers })
    const other = await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:2' }, headers })
    expect(other.body).toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH', success: false })
    const long = await call('POST', '/app-env/stop', {
      body: { appEnvId },
      headers: { 'Idempotency-Key': 'x'.repeat(256) },
    })
    expect(long.status).toBe(400)
  })
})

describe('an ETag', () => {
  test('saves the body while it matches, and changes with the resource', async () => {
    const appId = await world.app()
    const first = await call('GET', '/app', { query: { appId } })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"v1-[\w-]{16}"$/)
    const same = await call('GET', '/app', { query: { appId }, headers: { 'If-None-Match': `"other", ${etag}` } })
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag])
    await call('PATCH', '/app', { body: { appId, port: 81 } })
    const changed = await call('GET', '/app', { query: { appId }, headers: { 'If-None-Match': etag } })
    expect(changed.status).toBe(200)
  })

  test('of an environment changes with its pending changes, although its version does not', async () => {
    const { appId, appEnvId } = await world.appEnv()
    await world.deploy(appEnvId)
    const before = await call('GET', '/app-env', { query: { appEnvId } })
    await call('PATCH', '/app', { body: { appId, port: 81 } })
    const headers = { 'If-None-Match': before.headers.get('etag') ?? '' }
    const after = await call('GET', '/app-env', { query: { appEnvId }, headers })
    expect(after.status).toBe(200)
    expect(after.body.pendingChanges).toMatchObject([{ kind: 'DEPLOY', field: 'port', from: 8080, to: 81 }])
  })

  test('in If-Match lets exactly the next writer through', async () => {
    const { appEnvId } = await world.appEnv()
    const { headers } = await call('GET', '/app-env', { query: { appEnvId } })
    const ifMatch = { 'If-Match': headers.get('etag') ?? '' }
    const first = await call('PUT', '/app-env', { body: { appEnvId, preventDestroy: true }, headers: ifMatch })
    expect(first.status).toBe(200)
    const stale = await call('PUT', '/app-env', { body: { appEnvId, preventDestroy: false }, headers: ifMatch })
    expect(stale.body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', reason: 'VERSION_MISMATCH' })
    const next = { 'If-Match': first.headers.get('etag') ?? '' }
    expect((await call('PUT', '/app-env', { body: { appEnvId, preventDestroy: false }, headers: next })).status).toBe(
      200,
    )
    const any = await call('PUT', '/app-env', {
      body: { appEnvId, preventDestroy: true },
      headers: { 'If-Match': '*' },
    })
    expect(any.status).toBe(200)
  })

  test.each(['v1', '"1"', 'W/"v1"', '"v1", "v2"', ''])('is refused as If-Match when it is %j', async (ifMatch) => {
    const appId = await world.app()
    const { body } = await call('PATCH', '/app', { body: { appId, port: 81 }, headers: { 'If-Match': ifMatch } })
    expect(body).toMatchObject({ status: 412, reason: 'MALFORMED_IF_MATCH' })
  })
})

describe('Prefer: wait', () => {
  test('answers in the same shape when the operation has ended', async () => {
    const { appEnvId } = await world.appEnv()
    const answer = call('POST', '/app-env/deploy-image', {
      body: { appEnvId, image: 'nginx:1' },
      headers: { Prefer: 'wait=20' },
    })
    await expect.poll(() => world.operationsOf(appEnvId)).toHaveLength(1)
    await world.endOperation((await world.operationsOf(appEnvId))[0]?.id ?? null)
    const { body, headers } = await answer
    expect(Object.keys(body)).toEqual(['success', 'message', 'appEnv'])
    expect(body.appEnv.status).toBe('RUNNING')
    expect(headers.get('preference-applied')).toBe('wait=20')
  })

  test('answers when the time is up', async () => {
    const { appEnvId } = await world.appEnv()
    const request = { body: { appEnvId, image: 'nginx:1' }, headers: { Prefer: 'respond-async, wait=1' } }
    expect((await call('POST', '/app-env/deploy-image', request)).body.appEnv.status).toBe('UPDATING')
  })

  test('ends early when the process stops', async () => {
    const { appEnvId } = await world.appEnv()
    const { api, call: other } = serveRest(world)
    const answer = other('POST', '/app-env/deploy-image', {
      body: { appEnvId, image: 'nginx:1' },
      headers: { Prefer: 'wait=60' },
    })
    await expect.poll(() => world.operationsOf(appEnvId)).toHaveLength(1)
    api.drain()
    expect((await answer).body.appEnv.status).toBe('UPDATING')
  })

  test('is limited to the maximum wait', async () => {
    const { appEnvId } = await world.appEnv()
    const { api, call: other } = serveRest(world)
    api.drain()
    const body = { appEnvId, image: 'nginx:1' }
    const long = await other('POST', '/app-env/deploy-image', { body, headers: { Prefer: 'wait=99999' } })
    expect(long.headers.get('preference-applied')).toBe('wait=300')
  })

  test.each(['wait=soon', 'wait', 'wait=-1', 'wait=1.5', 'respond-async, wait=""; a=b', 'WAIT = x'])(
    'is refused when it is %s',
    async (Prefer) => {
      const { status, body } = await call('POST', '/app-env/stop', { body: { appEnvId: 'x' }, headers: { Prefer } })
      const message = 'wait must be a whole number of seconds from 0 to 300, as in wait=60'
      expect([status, body.errors]).toEqual([400, [{ field: 'Prefer', message }]])
    },
  )

  test.each(['respond-async', 'waiting=soon', 'note="x, wait=soon"', 'wait="0", wait=soon', '', ',;='])(
    'lets %s pass',
    async (Prefer) => {
      const { status } = await call('POST', '/app-env/stop', { body: { appEnvId: 'x' }, headers: { Prefer } })
      expect(status).toBe(404)
    },
  )
})

describe('dryRun', () => {
  test('answers as the call would, names the changes, and changes nothing', async () => {
    const { appEnvId } = await world.appEnv()
    const { status, body, headers } = await call('POST', '/app-env/deploy-image', {
      query: { dryRun: 'true' },
      body: { appEnvId, image: 'nginx:1' },
    })
    expect([status, body.dryRun, body.appEnv.status]).toEqual([200, true, 'UPDATING'])
    expect(body.changes).toEqual({ kind: 'DEPLOY_IMAGE', version: 1 })
    expect(body.message).toBe('Dry run, nothing was changed. The call would answer: Image deployment started')
    expect(headers.has('operation-location')).toBe(false)
    expect(await world.operationsOf(appEnvId)).toEqual([])
  })

  test('shows no id and no secret that it did not create', async () => {
    const { accountId } = world
    const { appId } = await world.appEnv()
    const bodies = {
      '/app': { accountId, name: 'Dry', port: 80 },
      '/app-env': { accountId, appId, name: 'dry', region: 'local' },
      '/account': { name: 'Dry' },
      '/credential': { accountId, type: 'BASIC_AUTH', name: 'dry', data: { username: 'u', password: 'p' } },
      '/token': { kind: 'USER', name: 'dry' },
    }
    const secretOrOwnId = /"(token|appId|appEnvId|accountId|credentialId|tokenId)":"/
    for (const [path, body] of Object.entries(bodies)) {
      const { status, text } = await call('POST', path, { query: { dryRun: 'true' }, body })
      expect(status, text).toBe(200)
      expect(text).not.toMatch(secretOrOwnId)
    }
  })

  test('shows the ids of existing resources', async () => {
    const { appEnvId } = await world.appEnv()
    const contentId = await world.deploy(appEnvId)
    const answer = await call('POST', '/app-env/stop', { query: { dryRun: 'true' }, body: { appEnvId } })
    expect(answer.body.appEnv.appEnvId).toBe(appEnvId)
    await world.deploy(appEnvId, 'nginx:2')
    const back = await call('POST', '/app-env/rollback', { query: { dryRun: 'true' }, body: { appEnvId } })
    expect(back.body.rollbackInfo.contentId).toBe(contentId)
  })

  test('works for a deletion, whose input is in the query too', async () => {
    const appId = await world.app()
    expect((await call('DELETE', '/app', { query: { appId, dryRun: 'true' } })).body.dryRun).toBe(true)
    expect((await call('GET', '/app', { query: { appId } })).status).toBe(200)
  })

  test('is true or false, and the only query parameter of a call with a body', async () => {
    const body = { name: 'Dry', accountId: world.accountId, port: 80 }
    expect((await call('POST', '/app', { query: { dryRun: 'yes' }, body })).body.errors[0].field).toBe('dryRun')
    expect((await call('POST', '/app', { query: { name: 'x' }, body })).body.errors[0].field).toBe('name')
  })
})

test('X-Request-Id is the same in the answer, the audit entry and the operation', async () => {
  const { appEnvId } = await world.appEnv()
  const headers = { 'X-Request-Id': 'my.request_1' }
  const answer = await call('POST', '/app-env/deploy-image', { body: { appEnvId, image: 'nginx:1' }, headers })
  expect(answer.headers.get('x-request-id')).toBe('my.request_1')
  const operationId = answer.headers.get('operation-location')?.split('=')[1] ?? ''
  expect((await call('GET', '/operation', { query: { operationId } })).body.requestId).toBe('my.request_1')
  expect((await world.auditOf(appEnvId)).at(-1)?.requestId).toBe('my.request_1')
  const replaced = await call('GET', '/apps', { headers: { 'X-Request-Id': 'not valid!' } })
  expect(replaced.headers.get('x-request-id')).toMatch(/^req_/)
})
