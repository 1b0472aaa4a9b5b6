import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimits } from '../../../src/api/http/rate-limits.ts'
import { createServices } from '../../../src/services/services.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_BODY_LIMIT_KB: '4' } })
  call = serveRest(world).call
})

afterAll(() => world.close())

describe('every answer', () => {
  test.each(['//', '//livez', '//docs', '/apps', '/nowhere', '//graphql'])(
    'of %s has security headers and no CORS header',
    async (path) => {
      const { headers } = await call('GET', path, { headers: { Origin: 'https://evil.example' } })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('x-request-id')).toMatch(/^req_/)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )
})

describe('addresses and methods', () => {
  test('unknown paths are 404, with or without a token', async () => {
    expect((await call('GET', '/nowhere')).body).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      type: '/docs/errors#NOT_FOUND',
    })
    expect((await call('GET', '/nowhere', { token: null })).status).toBe(404)
  })

  test('known paths name their methods', async () => {
    const { status, headers, body } = await call('DELETE', '/apps')
    expect([status, headers.get('allow'), body.reason]).toEqual([405, 'GET, HEAD, OPTIONS', 'METHOD_NOT_ALLOWED'])
    const options = await call('OPTIONS', '/app', {
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST'])
  })

  test('HEAD answers like GET, without a body', async () => {
    const appId = await world.app()
    const get = await call('GET', '/app', { query: { appId } })
    const head = await call('HEAD', '/app', { query: { appId } })
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')])
  })
})

describe('a body', () => {
  const post = (body: string, type = 'application/json') =>
    call('POST', '/app', { body, headers: { 'content-type': type } })

  test('is JSON of a limited size', async () => {
    expect((await post('{"name":')).body).toMatchObject({
      status: 400,
      errors: [{ field: 'body', message: 'is not valid JSON at line 1, column 9 (offset 8)' }],
    })
    expect((await post('[]')).body).toMatchObject({
      status: 400,
      errors: [{ field: 'body', message: 'must be a JSON object' }],
    })
    expect((await post('name=x', 'application/x-www-form-urlencoded')).body).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    })
    expect((await post('{}', 'text/plain')).status).toBe(415)
    expect((await post('{}', 'application/json; charset=utf-8')).status).toBe(400)
    const big = JSON.stringify({ name: 'x'.repeat(5000) })
    expect((await post(big)).body).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })

  test('that is missing is an empty one', async () => {
    const { body } = await call('POST', '/app')
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual(['name', 'accountId'])
  })

  test('is refused with every unknown field by name, __proto__ too', async () => {
    const { body } = await post('{"name":"x","accountId":"y","port":1,"colour":1,"__proto__":{"isAdmin":true}}')
    expect(body.errors.map((error: { field: string }) => error.field).sort()).toEqual(['__proto__', 'colour'])
  })

  test('with a NUL character is refused by name, not by the database', async () => {
    const { body } = await call('POST', '/app', {
      body: { name: 'a\0b', accountId: world.accountId, port: 1, gitInstallationId: 'x\0' },
    })
    expect(body).toMatchObject({ status: 400, errors: [{ field: 'name' }, { field: 'gitInstallationId' }] })
  })
})

describe('the order of checks', () => {
  test('is 401, 400, 404, 403, 409', async () => {
    const stranger = await world.user({ accountId: await world.account() })
    const { appEnvId } = await world.appEnv()
    const stop = (token: string | null, body: unknown) => call('POST', '/app-env/stop', { token, body })
    expect((await stop(null, '{')).body).toMatchObject({ status: 401, success: false })
    expect((await stop('berth_u_wrong', {})).status).toBe(401)
    expect((await stop(stranger.token, {})).body).toMatchObject({ status: 400, success: false })
    expect((await stop(stranger.token, { appEnvId: 'env_unknown' })).body).toMatchObject({
      status: 404,
      success: false,
    })
    expect((await stop(stranger.token, { appEnvId })).body).toMatchObject({
      status: 403,
      reason: 'NOT_A_MEMBER',
      success: false,
    })
    expect((await stop(world.adminToken, { appEnvId })).body).toMatchObject({
      status: 409,
      reason: 'NEVER_DEPLOYED',
      success: false,
    })
    const { headers } = await stop(null, {})
    expect(headers.get('www-authenticate')).toBe('Bearer realm="berth"')
  })
})

describe('limits', () => {
  test('count requests by account, and report the remaining budget', async () => {
    const limits = createRateLimits({
      BERTH_RATE_LIMIT: 2,
      BERTH_ANONYMOUS_RATE_LIMIT: 2,
      BERTH_OPERATION_RATE_LIMIT: 1,
      BERTH_REGISTRY_LOGIN_RATE_LIMIT: 10,
      BERTH_LOOKUP_RATE_LIMIT: 10,
    })
    const { call: limited } = serveRest(world, { limits })
    const { token } = await world.user({ accountId: await world.account() })
    const first = await limited('GET', '/apps', { token })
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60')
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=1;t=\d+$/)
    await limited('GET', '/apps', { token })
    const third = await limited('GET', '/apps', { token })
    expect(third.body).toMatchObject({ status: 429, code: 'RATE_LIMITED', reason: 'TOO_MANY_REQUESTS' })
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await limited('GET', '/apps')).status).toBe(200)
    const graphql = await limited('POST', '//graphql', { token, body: { query: '{ __typename }' } })
    expect(graphql.status).toBe(429)
    expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', requestId: expect.any(String) })
  })

  test('count operations by environment, but neither replays nor dry runs', async () => {
    const limits = createRateLimits({
      BERTH_RATE_LIMIT: 100,
      BERTH_ANONYMOUS_RATE_LIMIT: 2,
      BERTH_OPERATION_RATE_LIMIT: 1,
      BERTH_REGISTRY_LOGIN_RATE_LIMIT: 10,
      BERTH_LOOKUP_RATE_LIMIT: 10,
    })
    const services = createServices({ ...world, limits })
    const { call: limited } = serveRest(world, { limits, services })
    const { appEnvId } = await world.appEnv()
    const request = { body: { appEnvId, image: 'nginx:1' }, headers: { 'Idempotency-Key': 'limited' } }
    await limited('POST', '/app-env/deploy-image', { ...request, query: { dryRun: 'true' } })
    expect((await limited('POST', '/app-env/deploy-image', request)).status).toBe(200)
    expect((await limited('POST', '/app-env/deploy-image', request)).status).toBe(200)
    const next = await limited('POST', '/app-env/stop', { body: { appEnvId } })
    expect(next.body).toMatchObject({ status: 429, reason: 'TOO_MANY_OPERATIONS', success: false })
    expect(next.headers.has('retry-after')).toBe(true)
  })

  test('count callers without a token by their address', async () => {
    const { call: limited } = serveRest(world, {
      limits: createRateLimits({
        BERTH_RATE_LIMIT: 2,
        BERTH_ANONYMOUS_RATE_LIMIT: 2,
        BERTH_OPERATION_RATE_LIMIT: 1,
        BERTH_REGISTRY_LOGIN_RATE_LIMIT: 10,
        BERTH_LOOKUP_RATE_LIMIT: 10,
      }),
    })
    const statuses = []
    for (let tries = 0; tries < 3; tries += 1)
      statuses.push((await limited('GET', '/apps', { token: 'berth_u_wrong' })).status)
    expect(statuses).toEqual([401, 401, 429])
  })
})

describe('failures', () => {
  test('of our own are masked and logged under the request id', async () => {
    const lines: unknown[] = []
    const log = {
      ...world.log,
      isLevelEnabled: () => false,
      error: (line: unknown) => lines.push(line),
    } as unknown as World['log']
    const broken = { ...world.services, list: () => Promise.reject(new Error('password=hunter2')) }
    const { call: failing } = serveRest(world, { services: broken as unknown as World['services'], log })
    const { body, text } = await failing('GET', '/apps', { headers: { 'X-Request-Id': 'broken-1' } })
    expect(body).toMatchObject({ status: 500, code: 'INTERNAL', requestId: 'broken-1' })
    expect(text).not.toContain('hunter2')
    expect(lines).toMatchObject([{ requestId: 'broken-1', err: { message: 'password=hunter2' } }])
  })

  test('by timeout are 503 in time', async () => {
    const slow = { ...world.services, list: () => new Promise(() => {}) }
    const config = { ...world.config, BERTH_REQUEST_TIMEOUT_SECONDS: 1 }
    const { call: hanging } = serveRest(world, { services: slow as unknown as World['services'], config })
    const { body, headers } = await hanging('GET', '/apps')
    expect(body).toMatchObject({ status: 503, code: 'UNAVAILABLE', reason: 'REQUEST_TIMEOUT' })
    expect(headers.has('retry-after')).toBe(true)
  })
})
