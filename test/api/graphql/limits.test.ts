import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { type Answer, openSocket, overSse, take } from '../../support/transports.ts'

const statements: string[] = []
let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({ onQuery: (sql) => statements.push(sql) })
})
afterAll(() => world.close())

const TRANSPORTS = {
  async http(query: string, variables?: Record<string, unknown>): Promise<Answer> {
    return world.query(query, variables)
  },
  async sse(query: string, variables?: Record<string, unknown>): Promise<Answer> {
    const { url, adminToken: token } = world
    return (await take(overSse({ url, token, query, variables }), 1))[0] ?? {}
  },
  async ws(query: string, variables?: Record<string, unknown>): Promise<Answer> {
    const socket = openSocket(world.url, world.adminToken)
    const [answer] = await take(socket.iterate(query, variables), 1)
    await socket.close()
    return answer ?? {}
  },
}

/** Sixteen fields deep, and cheap. */
const DEEP = `{ apps(first: 1) { nodes { ${'account { apps(first: 1) { nodes { '.repeat(4)} id ${'} } } '.repeat(4)} } } }`

const REFUSED: Record<string, [string, Record<string, unknown>?]> = {
  TOO_DEEP: [DEEP],
  TOO_MANY_ALIASES: [`{ ${Array.from({ length: 31 }, (_, index) => `a${index}: __typename`).join(' ')} }`],
  TOO_MANY_TOKENS: [`{ ${'__typename '.repeat(2001)} }`],
  TOO_COSTLY: ['{ apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } }'],
  PAGE_SIZE: ['{ apps(first: 1001) { nodes { id } } }'],
}

const REFUSED_BY_VARIABLES: Record<string, [string, Record<string, unknown>]> = {
  'TOO_COSTLY by variables': [
    'query ($n: Int!, $m: Int = 1000) { apps(first: $n) { nodes { appEnvs(first: $m) { nodes { id } } } } }',
    { n: 1000 },
  ],
  'PAGE_SIZE by variables': ['query ($n: Int!) { apps(first: $n) { nodes { id } } }', { n: 0 }],
  'TOO_COSTLY by fragments': [
    `fragment A on App { appEnvs(first: 100) { nodes { ...B ...B } } } fragment B on AppEnv { deployments(first: 100) { nodes { id } } }
     query ($n: Int!) { apps(first: $n) { nodes { ...A ...A } } }`,
    { n: 50 },
  ],
}

describe.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])('over %s', (transport) => {
  const call = TRANSPORTS[transport]

  test.each(Object.entries({ ...REFUSED, ...REFUSED_BY_VARIABLES }))(
    '%s is refused before any read',
    async (name, [query, variables]) => {
      statements.length = 0
      const { data, errors } = await call(query, variables)
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'INVALID_INPUT',
        reason: name.split(' ')[0],
        requestId: expect.any(String),
      })
      expect(data ?? null).toBeNull()
      expect(statements.filter((sql) => /"(app|app_env|content)"/.test(sql))).toEqual([])
    },
  )

  test('a document within the limits is answered', async () => {
    const { data, errors } = await call(
      'query ($n: Int = 100) { apps(first: $n) { nodes { appEnvs { nodes { id } } } } }',
    )
    expect(errors).toBeUndefined()
    expect(data.apps.nodes).toEqual([])
  })

  test('introspection is answered', async () => {
    const { data } = await call(getIntrospectionQuery())
    expect(data.__schema.types.length).toBeGreaterThan(50)
  })
})

test.each(['sse', 'ws'] as const)('a subscription over %s has the limits of a query', async (transport) => {
  const costly = 'account { apps(first: 1000) { nodes { appEnvs(first: 1000) { nodes { id } } } } }'
  const { errors } = await TRANSPORTS[transport](
    `subscription { accountEvents(accountId: "${world.accountId}") { ${costly} } }`,
  )
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', reason: 'TOO_COSTLY' })
})

describe('requests', () => {
  test.each([
    ['multipart/form-data; boundary=x', 415],
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['application/graphql', 415],
  ])('with a body of the type %s are refused', async (type, status) => {
    const response = await world.post('{"query":"{ __typename }"}', { 'content-type': type })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] })
  })

  test('that change data by GET are refused', async () => {
    const query = `mutation { createApp(input: { accountId: "${world.accountId}", name: "By GET", port: 80 }) { app { id } } }`
    const response = await fetch(`${world.url}?query=${encodeURIComponent(query)}`, {
      headers: { authorization: world.adminToken },
    })
    expect(response.status).toBe(405)
    expect(await world.database.app.count({ where: { name: 'By GET' } })).toBe(0)
  })

  test('in batches are refused', async () => {
    const response = await world.post([{ query: '{ __typename }' }, { query: '{ __typename }' }])
    expect(response.status).toBe(400)
  })

  test('from another origin get no permission to read the answer', async () => {
    const response = await world.post({ query: '{ __typename }' }, { origin: 'https://evil.example' })
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    const preflight = await fetch(world.url, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('with a body beyond the limit are refused, with or without a declared length', async () => {
    const body = JSON.stringify({ query: `{ __typename } #${'x'.repeat(1100 * 1024)}` })
    expect((await world.post(body)).status).toBe(413)
    const headers = { 'content-type': 'application/json', authorization: world.adminToken }
    const chunked = new Blob([body]).stream()
    const response = await fetch(world.url, { method: 'POST', headers, body: chunked, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(413)
  })
})

test('introspection can be switched off', async () => {
  const closed = await createGraphQLWorld({ settings: { BERTH_GRAPHQL_INTROSPECTION: 'false' } })
  const { errors } = await closed.query('{ __schema { queryType { name } } }')
  expect(errors?.[0]?.extensions.code).toBe('INVALID_INPUT')
  await closed.close()
})
