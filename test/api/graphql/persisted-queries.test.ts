import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

const QUERY = 'query Me { __typename }'
const HASH = createHash('sha256').update(QUERY).digest('hex')
const EXTENSIONS = { persistedQuery: { version: 1, sha256Hash: HASH } }

type Asked = Record<string, unknown>

const WAYS: Record<string, (params: Asked, accept: string) => Promise<Response>> = {
  POST: (params, accept) => world.post(params, { accept }),
  GET: (params, accept) => {
    const url = new URL(world.url)
    for (const [name, value] of Object.entries(params))
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    return fetch(url, { headers: { authorization: world.adminToken, accept } })
  },
}

/** What Apollo's clients, urql and Relay's networks send. */
const ACCEPTS = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json,application/json;q=0.9',
]

/** Without a text, as clients write that. */
const WITHOUT: Asked[] = [{}, { query: '' }]

describe.each(Object.entries(WAYS))('over %s', (_, ask) => {
  describe.each(ACCEPTS)('for a client that accepts %s', (accept) => {
    test.each(WITHOUT)('a hash without a text is answered so that the client sends the text: %j', async (without) => {
      const params = { operationName: 'Me', variables: {}, extensions: EXTENSIONS, ...without }
      const response = await ask(params, accept)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('json')
      expect(await response.json()).toEqual({
        errors: [
          {
            message: 'PersistedQueryNotSupported',
            extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', requestId: expect.stringMatching(/^req_/) },
          },
        ],
      })
    })

    test('a hash beside its text runs the text', async () => {
      const response = await ask({ query: QUERY, operationName: 'Me', extensions: EXTENSIONS }, accept)
      expect(await response.json()).toEqual({ data: { __typename: 'Query' } })
    })
  })

  test.each([{}, { extensions: {} }, { extensions: { persistedQuery: 'no' } }])(
    'nothing at all is refused as before: %j',
    async (params) => {
      // As the specification has it: with the older media type, the status is 200 in any case.
      const response = await ask(params, 'application/graphql-response+json')
      expect(response.status).toBe(400)
      expect(JSON.stringify(await response.json())).not.toContain('PersistedQuery')
    },
  )
})
