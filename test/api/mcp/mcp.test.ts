import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimits } from '../../../src/api/http/rate-limits.ts'
import { readConfig } from '../../../src/config/config.ts'
import { callTool, post, toolsCall } from '../../support/mcp.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

/** The JSON-RPC message of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape.
const messageOf = async (response: Response) => (await response.json()) as any

let world: World
let api: ReturnType<typeof serveRest>['api']
let call: ReturnType<typeof serveRest>['call']
let appEnvId: string

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_BODY_LIMIT_KB: '4', BERTH_API_URL: 'https://berth.example.com' } })
  ;({ api, call } = serveRest(world))
  ;({ appEnvId } = await world.appEnv())
  await world.deploy(appEnvId)
})

afterAll(() => world.close())

const status = () => toolsCall('get-app-env-status', { appEnvId })
const tool = (name: string, given: Record<string, unknown>, token = world.adminToken) =>
  callTool(api, { token, name, given })

describe('a bare tools/call', () => {
  test.each([
    ['/mcp', 'application/json, text/event-stream'],
    ['/mcp', 'application/json'],
    ['/mcp', '*/*'],
    ['/', 'application/json, text/event-stream'],
    ['/', 'application/json'],
  ] as const)('to %s that accepts %s holds the body of REST', async (path, accept) => {
    const response = await post(api, status(), { token: world.adminToken, path, headers: { accept } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const { jsonrpc, id, result } = await messageOf(response)
    const rest = await call('GET', '/app-env/status', { query: { appEnvId } })
    expect({ jsonrpc, id, isError: result.isError, content: result.content }).toEqual({
      jsonrpc: '2.0',
      id: 1,
      isError: undefined,
      content: [{ type: 'text', text: rest.text }],
    })
    expect(result._meta['berth/headers'].ETag).toBe(rest.headers.get('etag'))
  })

  test('takes the token with or without a scheme', async () => {
    const headers = { authorization: world.adminToken }
    expect((await post(api, status(), { token: null, headers })).status).toBe(200)
  })

  test('has the headers of every answer, and its request id reaches the audit log', async () => {
    const headers = { 'x-request-id': 'mcp-1' }
    const { token } = await world.user()
    const { appEnvId } = await world.appEnv()
    const body = toolsCall('stop-app-env', { appEnvId })
    const refused = await post(api, body, { token, headers })
    expect(refused.headers.get('x-request-id')).toBe('mcp-1')
    expect(refused.headers.get('ratelimit')).toContain('requests')
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff')
    await post(api, toolsCall('deploy-image', { appEnvId, image: 'nginx:2' }), { token, headers })
    const [entry] = (await world.auditOf(appEnvId)).filter(({ action }) => action === 'deployImage')
    expect(entry?.requestId).toBe('mcp-1')
  })
})

describe('a failed call', () => {
  test('names the field, and is the refusal of REST', async () => {
    const given = { appEnvId, image: 'Not An Image', colour: 'red' }
    const { isError, body } = await tool('deploy-image', given)
    const rest = await call('POST', '/app-env/deploy-image', { body: given })
    expect(isError).toBe(true)
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['colour', 'image'])
    expect({ ...body, requestId: '' }).toEqual({ ...rest.body, requestId: '' })
    expect(body.success).toBe(false)
  })

  test('of a read names the field, too', async () => {
    const { isError, body } = await tool('get-logs', { appEnvId, size: 'many' })
    expect([isError, body.status, body.errors[0].field]).toEqual([true, 400, 'size'])
  })

  test('names a wrong option', async () => {
    const { body } = await tool('deploy-image', { appEnvId, image: 'nginx:1', waitSeconds: 1e9, dryRun: 'yes' })
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(['dryRun', 'waitSeconds'])
  })

  test('refuses every unknown field by name, __proto__ too, and arguments that are no object', async () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list-apps","arguments":'
    const fieldsOf = async (given: string) => {
      const { result } = await messageOf(await post(api, `${text}${given}}}`, { token: world.adminToken }))
      return JSON.parse(result.content[0].text).errors.map(({ field }: { field: string }) => field)
    }
    expect(await fieldsOf('{"__proto__":{"limit":1},"colour":1}')).toEqual(['__proto__', 'colour'])
    expect(await fieldsOf('[1]')).toEqual(['arguments'])
    expect(await fieldsOf('"text"')).toEqual(['arguments'])
  })

  test('without its arguments says which are required', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create-app' } }
    const { result } = await messageOf(await post(api, message, { token: world.adminToken }))
    const { errors } = JSON.parse(result.content[0].text)
    expect(errors).toContainEqual({ field: 'name', message: 'is required' })
  })

  test('of a token that may not is 403: another environment, another account, a scope that lacks', async () => {
    const other = await world.appEnv()
    const environment = await world.token({ kind: 'ENVIRONMENT', appEnvId: other.appEnvId })
    const scoped = await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })
    const stranger = await world.user({ accountId: await world.account() })
    for (const { token } of [environment, scoped, stranger]) {
      const { isError, body } = await tool('stop-app-env', { appEnvId }, token)
      expect([isError, body.status, body.code]).toEqual([true, 403, 'FORBIDDEN'])
    }
    expect((await tool('get-app-env-status', { appEnvId }, scoped.token)).isError).toBe(false)
  })
})

describe('the options of a write', () => {
  test('dryRun changes nothing', async () => {
    const { body } = await tool('create-app', { accountId: world.accountId, name: 'Dry', port: 80, dryRun: true })
    expect([body.dryRun, body.appId]).toEqual([true, undefined])
  })

  test('idempotencyKey makes a repeat safe', async () => {
    const given = { accountId: world.accountId, name: 'Once', port: 80, idempotencyKey: 'once' }
    const first = await tool('create-app', given)
    const again = await tool('create-app', given)
    expect(again.text).toBe(first.text)
    expect(again.headers['Idempotent-Replayed']).toBe('true')
  })

  test('expectedVersion refuses what has changed since', async () => {
    const appId = await world.app()
    const version = Number(/^"v(\d+)/.exec((await tool('get-app', { appId })).headers.ETag ?? '')?.[1])
    expect((await tool('update-app', { appId, port: 81, expectedVersion: version + 1 })).body.status).toBe(412)
    expect((await tool('update-app', { appId, port: 81, expectedVersion: version })).isError).toBe(false)
  })

  test('waitSeconds answers when the operation has ended', async () => {
    const { appEnvId } = await world.appEnv()
    const answered = tool('deploy-image', { appEnvId, image: 'nginx:1', waitSeconds: 30 })
    await expect.poll(async () => (await world.operationsOf(appEnvId)).length).toBe(1)
    const [operation] = await world.operationsOf(appEnvId)
    await world.endOperation(operation?.id ?? '')
    const { body, headers } = await answered
    expect(body.appEnv.status).toBe('RUNNING')
    expect(headers['Operation-Location']).toContain(operation?.id)
  })

  test('a wait for an operation that fails is an error, with the same body', async () => {
    const { appEnvId } = await world.appEnv()
    const answered = tool('deploy-image', { appEnvId, image: 'nginx:1', waitSeconds: 30 })
    await expect.poll(async () => (await world.operationsOf(appEnvId)).length).toBe(1)
    const [operation] = await world.operationsOf(appEnvId)
    await world.endOperation(operation?.id ?? '', 'FAILED')
    const { isError, body, headers } = await answered
    expect([isError, body.success, headers['Operation-Status']]).toEqual([true, false, 'FAILED'])
    expect(body.message).toMatch(/^Version 1 failed: /)
  })
})

describe('the endpoint', () => {
  test('refuses a missing or wrong token with 401, and says so', async () => {
    for (const token of [null, 'berth_u_wrong']) {
      const response = await post(api, status(), { token })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="berth", resource_metadata="https://berth.example.com/.well-known/oauth-protected-resource/mcp"',
      ])
      expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED', detail: expect.stringContaining('token') })
    }
  })

  test.each(['GET', 'DELETE', 'PUT'])('has no %s: there is no session', async (method) => {
    const { status, headers } = await call(method, '//mcp')
    expect([status, headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
  })

  test('keeps the page at / for browsers', async () => {
    expect((await call('GET', '//')).status).toBe(200)
  })

  test('takes one message of JSON within the limit of bodies', async () => {
    const token = world.adminToken
    const errorOf = async (response: Response) => (await messageOf(response)).error
    const broken = await post(api, '{"jsonrpc"', { token })
    expect([broken.status, (await errorOf(broken)).code]).toEqual([400, -32_700])
    const batch = await post(api, [status(), status()], { token })
    expect([batch.status, (await errorOf(batch)).code]).toEqual([400, -32_600])
    expect((await post(api, status(), { token, headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post(api, toolsCall('create-app', { name: 'x'.repeat(5000) }), { token })).status).toBe(413)
  })

  test('names a tool that it has not', async () => {
    const response = await post(api, toolsCall('get-weather', {}), { token: world.adminToken })
    const { error } = await messageOf(response)
    expect([error.code, error.message]).toEqual([-32_602, expect.stringContaining('There is no tool "get-weather"')])
  })

  test('acknowledges notifications, and answers pings', async () => {
    const token = world.adminToken
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(api, notification, { token })).status).toBe(202)
    const pong = await post(api, { jsonrpc: '2.0', id: 7, method: 'ping' }, { token })
    expect(await pong.json()).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
  })

  test('refuses pages of other sites, whose host name might lead here', async () => {
    const origins = {
      'https://evil.example': 403,
      null: 403,
      'http://localhost:6274': 200,
      'https://berth.example.com': 200,
    }
    for (const [origin, expected] of Object.entries(origins)) {
      const { status: found } = await post(api, status(), { token: world.adminToken, headers: { origin } })
      expect([origin, found]).toEqual([origin, expected])
    }
  })

  test('counts each call in the budget of the account, with REST', async () => {
    const settings = readConfig({ BERTH_RATE_LIMIT: '3' })
    const { api, call } = serveRest(world, { limits: createRateLimits(settings) })
    const { token } = await world.user({ accountId: await world.account() })
    const statuses = [(await call('GET', '/apps', { token })).status]
    for (let count = 0; count < 3; count += 1)
      statuses.push((await post(api, toolsCall('list-apps', {}), { token })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})

describe('what the operator reads', () => {
  function logged() {
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    return { lines, log }
  }

  test('is which tool was called', async () => {
    const { lines, log } = logged()
    const { api } = serveRest(world, { log })
    await callTool(api, { token: world.adminToken, name: 'list-apps', given: {} })
    expect(lines).toMatchObject([{ method: 'POST', path: '/mcp', status: 200, tool: 'list-apps' }])
  })

  test('is why a call failed on our side, which the client is not told', async () => {
    const { lines, log } = logged()
    const list = () => Promise.reject(new Error('the cause'))
    const { api } = serveRest(world, { log, services: { ...world.services, list } })
    const requestId = 'mcp-failure'
    const { isError, text, body } = await callTool(api, {
      token: world.adminToken,
      name: 'list-apps',
      given: {},
      requestId,
    })
    expect([isError, body.code, body.requestId]).toEqual([true, 'INTERNAL', requestId])
    expect(text).not.toContain('the cause')
    expect(lines[0]).toMatchObject({ requestId, tool: 'list-apps', err: { message: 'the cause' } })
  })
})
