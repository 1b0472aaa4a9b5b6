import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

const audits = serverAudits({ url: () => world.url, fetchFn: audited })

/** The audits send no tokens. */
async function audited(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  headers.set('authorization', world.adminToken)
  if (way === 'long' && !headers.has('accept')) headers.set('accept', '*/*;q=1')
  else if (way === 'long') headers.set('accept', `${headers.get('accept')};q=1`)
  return fetch(input, { ...init, headers })
}

let way: 'short' | 'long' = 'short'

describe.each(['short', 'long'] as const)('GraphQL over HTTP, on the %s path', (which) => {
  test('61 of 61 audits pass', async () => {
    way = which
    const results = await Promise.all(audits.map((audit) => audit.fn()))
    const failed = results.filter((result) => result.status !== 'ok')
    const answer = failed.map(
      (result) => `${result.status} ${result.id} ${result.name}: ${'reason' in result ? result.reason : ''}`,
    )
    expect(answer).toEqual([])
    expect(results).toHaveLength(61)
  })
})
