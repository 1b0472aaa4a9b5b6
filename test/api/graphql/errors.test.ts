import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

type Refused = Awaited<ReturnType<GraphQLWorld['query']>>

const DEPLOY = 'mutation ($input: DeployImageInput!) { deployImage(input: $input) { appEnv { id } } }'

describe('errors carry the code that REST gives the same refusal', () => {
  test('a caller without a valid token', async () => {
    const { status, errors } = await world.query('{ apps { nodes { id } } }', {}, null)
    expect(status).toBe(401)
    expect(errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED', requestId: expect.stringMatching(/^req_/) } },
    ])
    expect((await world.query('{ me { id } }', {}, 'berth_u_nonsense')).errors?.[0]?.extensions.code).toBe(
      'UNAUTHENTICATED',
    )
  })

  test('a 401 says how to authenticate, in either way of answering', async () => {
    const body = JSON.stringify({ query: '{ me { id } }' })
    const headers = { 'content-type': 'application/json' }
    const ways = [
      fetch(world.url, { method: 'POST', headers, body }),
      // What is no JSON POST goes the usual way.
      fetch(`${world.url}?query=${encodeURIComponent('{ me { id } }')}`, {
        headers: { accept: 'application/graphql-response+json' },
      }),
    ]
    for (const response of await Promise.all(ways))
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="berth"'])
  })

  test('over SSE, too, so that no EventSource asks again and again', async () => {
    const query = encodeURIComponent('subscription { accountEvents(accountId: "x") { cursor } }')
    const { status, headers } = await fetch(`${world.url}?query=${query}`, { headers: { accept: 'text/event-stream' } })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="berth"'])
  })

  test.each(['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is refused with the methods that there are',
    async (method) => {
      const { status, headers } = await fetch(world.url, { method })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, POST'])
    },
  )

  test('a request for the single-connection mode of graphql-sse says that there is none', async () => {
    const response = await fetch(world.url, { method: 'PUT', headers: { authorization: world.adminToken } })
    expect(((await response.json()) as { errors: { message: string }[] }).errors[0]?.message).toContain(
      'there is no single-connection mode',
    )
  })

  test('authentication is checked before input, and not for reading the schema', async () => {
    const { errors } = await world.query(DEPLOY, { input: { image: 5 } }, null)
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
    expect((await world.query('{ __schema { queryType { name } } }', {}, null)).data.__schema.queryType.name).toBe(
      'Query',
    )
  })

  test.each(['app', 'appEnv', 'account', 'deployment', 'operation', 'node'])('an unknown id of %s', async (field) => {
    const { status, data, errors } = await world.query(`{ ${field}(id: "app_01h2xcejqtf2nbrexx3vqjhp41") { id } }`)
    expect(status).toBe(200)
    expect(data).toEqual({ [field]: null })
    expect(errors).toMatchObject([{ path: [field], extensions: { code: 'NOT_FOUND' } }])
  })

  test('input that the service refuses, by field', async () => {
    const { appEnvId } = await world.appEnv()
    const { errors } = await world.query(DEPLOY, { input: { appEnvId, image: 'NOT AN IMAGE' } })
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ field: 'image', message: expect.any(String) }],
    })
  })

  test.each([
    ['of the wrong type', DEPLOY, { input: { appEnvId: 'x', image: 5 } }],
    ['that is missing', DEPLOY, { input: { appEnvId: 'x' } }],
    ['that is unknown', DEPLOY, { input: { appEnvId: 'x', image: 'a', typo: 1 } }],
    ['in the document', 'mutation { deployImage(input: { image: 5 }) { message } }', {}],
    ['for an enum', 'mutation { createToken(input: { kind: NONSENSE, name: "x" }) { secret } }', {}],
    ['of a field that is null and may not be', DEPLOY, { input: { appEnvId: null, envName: 'x', image: 'nginx:1' } }],
  ])('input %s', async (_what, query, variables) => {
    const { errors } = await world.query(query, variables)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', requestId: expect.any(String) })
  })

  /** What GraphQL refuses by its types, in the document and in a variable, and what the call refuses by its rules. */
  const WRONG = [
    { query: '{ appEnv(id: { a: 1 }) { id } }' },
    { query: DEPLOY, variables: { input: { appEnvId: 'x', image: 5 } } },
    { query: DEPLOY, variables: { input: { appEnvId: 'x', image: 'NOT AN IMAGE' } } },
  ]

  test.each([
    ['application/json', [200, 200, 200]],
    ['*/*', [200, 200, 200]],
    // As the specification asks: 400 for what is refused before anything runs.
    ['application/graphql-response+json', [400, 400, 200]],
  ])('wrong input has one code and one status for a client that accepts %s', async (accept, statuses) => {
    const answers = await Promise.all(WRONG.map((body) => world.post(body, { accept })))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Pick<Refused, 'errors'>[]
    expect(bodies.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(Array(3).fill('INVALID_INPUT'))
  })

  test.each([
    ['{ appEnv { id } }', 'id'],
    ['{ appEnv(id: "") { id } }', 'id'],
    ['{ app(id: "") { id } }', 'id'],
    [`{ jobRun(id: "${'x'.repeat(101)}") { id } }`, 'id'],
    ['{ jobRuns(appEnvId: "", first: 1) { nodes { id } } }', 'appEnvId'],
  ])('%s is refused by the name of the argument', async (query, name) => {
    const { errors } = await world.query(query)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', fields: [{ field: name }] })
    expect(errors?.[0]?.message).toMatch(new RegExp(`^${name}: `))
  })

  test('a conflict, with its reason', async () => {
    const { appEnvId } = await world.appEnv()
    const { errors } = await world.query('mutation ($id: ID) { stopAppEnv(input: { appEnvId: $id }) { message } }', {
      id: appEnvId,
    })
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'NEVER_DEPLOYED' })
  })

  test('a stale version', async () => {
    const { appEnvId } = await world.appEnv()
    const { errors } = await world.query(DEPLOY, { input: { appEnvId, image: 'nginx:1', expectedVersion: 99 } })
    expect(errors?.[0]?.extensions.code).toBe('PRECONDITION_FAILED')
  })
})

test('an internal error is masked, and found again by the request’s id', async () => {
  const { database } = world
  await database.$executeRaw`ALTER TABLE region RENAME TO region_away`
  const { errors } = await world.query('{ regions { code } }')
  await database.$executeRaw`ALTER TABLE region_away RENAME TO region`
  expect(errors?.[0]?.extensions).toEqual({ code: 'INTERNAL', requestId: expect.stringMatching(/^req_/) })
  expect(errors?.[0]?.message).toMatch(/quote the request id req_/)
  expect(JSON.stringify(errors)).not.toMatch(/does not exist|prisma|stack/i)
})
