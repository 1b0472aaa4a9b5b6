import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRateLimits } from '../../../src/api/http/rate-limits.ts'
import { OWN_TOOLS } from '../../../src/api/mcp/own-tools.ts'
import { tools } from '../../../src/api/mcp/tools.ts'
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

describe('options as one object', () => {
  test('mean what each means beside the other arguments', async () => {
    const given = { accountId: world.accountId, name: 'Dry too', port: 80, options: { dryRun: true } }
    expect((await tool('create-app', given)).body).toMatchObject({ dryRun: true })
    const once = { ...given, name: 'Once more', options: { idempotencyKey: 'once-more' } }
    const first = await tool('create-app', once)
    const { options, ...apart } = once
    const again = await tool('create-app', { ...apart, ...options })
    expect([again.text, again.headers['Idempotent-Replayed']]).toEqual([first.text, 'true'])
  })

  test.each([
    ['an unknown option', { options: { colour: 'red' } }, ['options.colour']],
    ['a wrong option', { options: { waitSeconds: 'long' } }, ['options.waitSeconds']],
    ['options that are no object', { options: 'dryRun' }, ['options']],
    ['one option in both places', { options: { dryRun: false }, dryRun: true }, ['dryRun']],
    [
      'a field that only looks like one',
      { options: JSON.parse('{"__proto__": {"dryRun": true}}') },
      ['options.__proto__'],
    ],
  ])('are refused by name: %s', async (_title, more, fields) => {
    const { body } = await tool('deploy-image', { appEnvId, image: 'nginx:1', ...more })
    expect([body.code, body.errors.map(({ field }: { field: string }) => field)]).toEqual(['INVALID_INPUT', fields])
  })

  test('are no argument of a read', async () => {
    const { body } = await tool('list-apps', { options: { dryRun: true } })
    expect(body.errors).toMatchObject([{ field: 'options' }])
  })
})

describe('an answer', () => {
  test('is the same as text and as an object', async () => {
    const { text, structured } = await tool('get-app-env-status', { appEnvId })
    expect(structured).toEqual(JSON.parse(text))
  })

  test('as CSV is one text of the object', async () => {
    const given = { accountId: world.accountId, format: 'csv' }
    const response = await post(api, toolsCall('list-audit', given), { token: world.adminToken })
    const { result } = await messageOf(response)
    expect(result.content[0].text).toMatch(/^[a-z]+(,[a-z]+)+\r\n/i)
    expect(result.structuredContent).toEqual({ csv: result.content[0].text })
  })

  test('that refuses has no object, which its schema would not describe', async () => {
    const { isError, structured } = await tool('get-app-env-status', { appEnvId: 'env_none' })
    expect([isError, structured]).toEqual([true, undefined])
  })
})

describe('find-tool', () => {
  const find = async (given: Record<string, unknown>, more: { token?: string; path?: string } = {}) =>
    (await callTool(api, { token: world.adminToken, name: 'find-tool', given, ...more })).body

  test('answers the schemas of what fits, and names further tools', async () => {
    const { tools, others, notPermitted, sets } = await find({ query: 'schedule a job' })
    expect(tools).toHaveLength(3)
    expect(tools[0]).toMatchObject({ set: 'jobs', annotations: { readOnlyHint: true } })
    const schedule = tools.find(({ name }: { name: string }) => name === 'set-job-schedule')
    expect(schedule.inputSchema.properties).toMatchObject({ cron: { type: 'string' }, options: { type: 'object' } })
    expect([others.length > 0, notPermitted, sets]).toEqual([true, [], undefined])
    expect((await find({ query: 'schedule a job', limit: 1 })).tools).toHaveLength(1)
  })

  test('answers one tool by its name, with the schema of its answer', async () => {
    const { tools } = await find({ query: 'create-app-env' })
    expect(tools).toHaveLength(1)
    expect(tools[0].inputSchema.properties.healthCheck.properties.readiness).toBeTruthy()
    expect(tools[0].outputSchema.properties.appEnvId).toBeTruthy()
  })

  test('names the sets where nothing fits', async () => {
    const { tools, sets } = await find({ query: 'weather' })
    expect([tools, Object.keys(sets)]).toEqual([[], expect.arrayContaining(['jobs', 'backups', 'hosts'])])
  })

  test('says what the token may not use', async () => {
    const { token } = await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })
    const { tools, notPermitted } = await find({ query: 'delete an app' }, { token })
    expect(notPermitted).toContain('delete-app')
    expect(
      tools.filter(({ annotations }: { annotations: { readOnlyHint: boolean } }) => !annotations.readOnlyHint),
    ).toEqual([])
  })

  test('finds nothing that writes at the address that only reads', async () => {
    const { tools, notPermitted } = await find({ query: 'deploy an image' }, { path: '/mcp/readonly' })
    expect([...tools.map(({ name }: { name: string }) => name), ...notPermitted]).not.toContain('deploy-image')
  })

  test.each([
    ['no query', {}, ['query']],
    ['an empty one', { query: ' ' }, ['query']],
    ['a long one', { query: 'x'.repeat(201) }, ['query']],
    ['no text', { query: ['job'] }, ['query']],
    ['too many tools', { query: 'job', limit: 11 }, ['limit']],
    ['an unknown field', { query: 'job', colour: 'red' }, ['colour']],
    ['a NUL', { query: 'job\u0000' }, ['query']],
  ])('refuses %s', async (_title, given, fields) => {
    const { code, status, errors } = await find(given)
    expect([code, status, errors.map(({ field }: { field: string }) => field)]).toEqual(['INVALID_INPUT', 400, fields])
  })
})

describe('call-tool', () => {
  const callNamed = (given: Record<string, unknown>, path = '/mcp') =>
    callTool(api, { token: world.adminToken, name: 'call-tool', given, path })

  test('answers as the tool itself', async () => {
    const direct = await tool('list-hosts', { appEnvId })
    const named = await callNamed({ name: 'list-hosts', arguments: { appEnvId } })
    expect([named.isError, named.text]).toEqual([false, direct.text])
  })

  test('hands on the options of a write, and audits the tool that was called', async () => {
    const { appEnvId } = await world.appEnv()
    const given = { name: 'stop-app-env', arguments: { appEnvId }, options: { dryRun: true } }
    expect((await callNamed(given)).body.reason).toBe('NEVER_DEPLOYED')
    const set = { appEnvId, variables: [{ name: 'A', value: '1' }] }
    const dry = await callNamed({ name: 'set-variables', arguments: set, options: { dryRun: true } })
    expect(dry.body.dryRun).toBe(true)
    await callNamed({ name: 'set-variables', arguments: set })
    expect((await world.auditOf(appEnvId)).map(({ action }) => action)).toContain('setVariables')
  })

  test.each([
    ['an unknown tool', { name: 'get-wether' }, ['name']],
    ['itself', { name: 'call-tool', arguments: { name: 'list-apps' } }, ['name']],
    ['find-tool', { name: 'find-tool', arguments: { query: 'job' } }, ['name']],
    ['a long name', { name: 'x'.repeat(101) }, ['name']],
    ['arguments that are no object', { name: 'list-apps', arguments: [] }, ['arguments']],
    ['options of a read', { name: 'list-apps', options: { dryRun: true } }, ['options']],
    ['options twice', { name: 'create-app', arguments: { options: {} }, options: {} }, ['options']],
    ['an unknown field', { name: 'list-apps', colour: 'red' }, ['colour']],
  ])('refuses %s', async (_title, given, fields) => {
    const { isError, body } = await callNamed(given)
    expect([isError, body.code, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      true,
      'INVALID_INPUT',
      fields,
    ])
  })

  test('hands on what was sent as it was sent', async () => {
    const { body } = await callNamed({ name: 'list-apps', arguments: JSON.parse('{"__proto__": 1}') })
    expect(body.errors).toMatchObject([{ field: '__proto__' }])
  })
})

describe('the address of the endpoint', () => {
  const listAt = async (path: string, token = world.adminToken) => {
    const { result } = await messageOf(
      await post(api, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { token, path }),
    )
    return result.tools.map(({ name }: { name: string }) => name) as string[]
  }

  test('chooses sets of tools', async () => {
    const core = await listAt('/mcp')
    expect(core).toEqual(await listAt('/'))
    expect(core).toEqual(expect.arrayContaining(['find-tool', 'call-tool', 'deploy-image', 'get-logs']))
    expect(core).not.toContain('set-job-schedule')
    const jobs = await listAt('/mcp?tools=jobs,hosts')
    expect(jobs).toEqual(expect.arrayContaining(['find-tool', 'set-job-schedule', 'add-host']))
    expect(jobs).not.toContain('deploy-image')
    expect(await listAt('/mcp?tools=core,jobs')).toEqual(expect.arrayContaining([...core, 'set-job-schedule']))
    expect(await listAt('/mcp?tools=all')).toEqual(expect.arrayContaining([...core, ...jobs, 'list-plans']))
    expect(await listAt('/mcp/readonly?tools=jobs')).not.toContain('set-job-schedule')
  })

  test('leaves every tool callable, listed or not', async () => {
    const given = { token: world.adminToken, name: 'list-plans', given: {} }
    for (const path of ['/mcp', '/', '/mcp?tools=jobs', '/mcp/readonly'])
      expect((await callTool(api, { ...given, path })).isError, path).toBe(false)
  })

  test.each([
    ['/mcp?tools=weather', /tools: names no set "weather"; the sets are core, all, apps, .*jobs/],
    ['/mcp?tools=', /names no set ""/],
    ['/mcp?tools=jobs,,hosts', /names no set ""/],
    ['/mcp?tools=jobs&tools=hosts', /is there twice/],
    ['/mcp?tool=jobs', /^tool: is not a parameter of this address; it has tools$/],
    ['/mcp/readonly?tools=constructor', /names no set "constructor"/],
    [`/mcp?tools=${'jobs,'.repeat(300)}`, /at most 1000 characters/],
    [`/mcp?tools=${'x'.repeat(900)}`, /names no set "x{60}…"/],
  ])('that is wrong is refused with what it may be: %s', async (path, message) => {
    const response = await post(api, status(), { token: world.adminToken, path })
    const { error } = await messageOf(response)
    expect([response.status, error.code, error.message]).toEqual([400, -32_602, expect.stringMatching(message)])
  })

  test('that only reads refuses a write by name, called as it is or by call-tool', async () => {
    const before = await world.operationsOf(appEnvId)
    const path = '/mcp/readonly'
    const given = { appEnvId, image: 'nginx:3' }
    const direct = await callTool(api, { token: world.adminToken, name: 'deploy-image', given, path })
    const named = await callTool(api, {
      token: world.adminToken,
      name: 'call-tool',
      given: { name: 'deploy-image', arguments: given },
      path,
    })
    for (const { isError, body } of [direct, named]) {
      expect([isError, body.status, body.reason]).toEqual([true, 403, 'READ_ONLY'])
      expect(body.message).toBe('deploy-image writes, and /mcp/readonly only reads: call it at /mcp')
    }
    expect(await world.operationsOf(appEnvId)).toEqual(before)
    expect(
      (await callTool(api, { token: world.adminToken, name: 'get-app-env-status', given: { appEnvId }, path })).isError,
    ).toBe(false)
  })

  test('says where a client without a token can get one', async () => {
    const response = await post(api, status(), { token: null, path: '/mcp/readonly' })
    expect(response.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp/readonly"')
    const { status: found, body } = await call('GET', '//.well-known/oauth-protected-resource/mcp/readonly')
    expect([found, body.resource]).toEqual([200, 'https://berth.example.com/mcp/readonly'])
  })
})

describe('resources', () => {
  const ask = async (method: string, params: Record<string, unknown> = {}, token = world.adminToken) =>
    messageOf(await post(api, { jsonrpc: '2.0', id: 1, method, params }, { token }))
  const read = (uri: string, token?: string) => ask('resources/read', { uri }, token)

  test('are documents, each of which can be read', async () => {
    const { result } = await ask('resources/list')
    const uris = result.resources.map(({ uri }: { uri: string }) => uri)
    expect(uris).toEqual(expect.arrayContaining(['berth://docs/guide', 'berth://docs/tools', 'berth://docs/errors']))
    for (const uri of uris) {
      const [content] = (await read(uri)).result.contents
      expect([content.uri, content.mimeType, content.text]).toEqual([
        uri,
        'text/markdown',
        expect.stringMatching(/^# /),
      ])
    }
  })

  test('name only tools that there are', async () => {
    const [guide] = (await read('berth://docs/guide')).result.contents
    const named = [...guide.text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !OWN_TOOLS.has(name) && !tools.has(name))).toEqual([])
    const [index] = (await read('berth://docs/tools')).result.contents
    for (const name of tools.keys()) expect(index.text).toContain(`- \`${name}\` (`)
  })

  test('are logs of an environment, which the token must be allowed to read', async () => {
    const { result } = await ask('resources/templates/list')
    expect(result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'berth://environments/{appEnvId}/logs',
      'berth://environments/{appEnvId}/build-logs',
    ])
    const uri = `berth://environments/${appEnvId}/logs`
    expect((await read(uri)).result.contents).toEqual([{ uri, mimeType: 'text/plain', text: '' }])
    const stranger = await world.user({ accountId: await world.account() })
    const { error } = await read(uri, stranger.token)
    expect([error.code, error.message]).toEqual([-32_602, expect.stringMatching(/^FORBIDDEN: /)])
  })

  test.each([
    ['berth://environments/env_none/logs', /NOT_FOUND/],
    ['berth://docs/weather', /There is no resource "berth:\/\/docs\/weather"; there are berth:\/\/docs\/guide/],
    ['berth://docs/../guide', /There is no resource/],
    ['file:///etc/passwd', /There is no resource/],
    [`berth://environments/${'a'.repeat(3000)}/logs`, /There is no resource "berth:.{194}"; there are/],
  ])('that are not there are refused: %s', async (uri, message) => {
    const { error, detail } = await read(uri)
    expect(error?.message ?? detail).toMatch(message)
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
    const near = await messageOf(await post(api, toolsCall('get-app-env-statu', {}), { token: world.adminToken }))
    expect(near.error.message).toContain('did you mean get-app-env-status')
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
    const given = { name: 'list-hosts', arguments: { appEnvId } }
    await callTool(api, { token: world.adminToken, path: '/mcp/readonly', name: 'call-tool', given })
    expect(lines.at(-1)).toMatchObject({ path: '/mcp/readonly', tool: 'list-hosts' })
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
