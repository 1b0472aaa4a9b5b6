import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({ settings: { BERTH_ANONYMOUS_RATE_LIMIT: '250' } })
})
afterAll(() => world.close())

const repeated = (times: number, of: (index: number) => string) =>
  Array.from({ length: times }, (_, i) => of(i)).join(' ')
const EVERYTHING = 'fields { name description args { name description type { name } } type { name } }'

/** Short documents with long answers. */
const ATTACKS: Record<string, [query: string, variables?: Record<string, unknown>]> = {
  aliases: [`{ ${repeated(25, (i) => `s${i}: __schema { types { name ${EVERYTHING} } }`)} }`],
  'aliases of one type': [`{ __schema { types { ${repeated(29, (i) => `f${i}: ${EVERYTHING}`)} } } }`],
  nesting: [
    `{ __schema { types { fields { type { ${EVERYTHING.replace('type { name } }', 'type { fields { name } } }')} } } } }`,
  ],
  fragments: [
    `{ ${repeated(20, (i) => `s${i}: __schema { ...S }`)} } fragment S on __Schema { types { ...T } } fragment T on __Type { ${EVERYTHING} }`,
  ],
  'a variable': [
    `query ($d: Boolean = true) { ${repeated(28, (i) => `s${i}: __schema { types { fields(includeDeprecated: $d) { name args { name type { name kind } } } } }`)} }`,
  ],
}

describe('introspection', () => {
  test.each(Object.keys(ATTACKS))('that multiplies by %s is refused', async (name) => {
    const [query, variables] = ATTACKS[name] as (typeof ATTACKS)[string]
    const { errors, data } = await world.query(query, variables)
    expect([errors?.[0]?.extensions.code, data ?? null]).toEqual(['INVALID_INPUT', null])
  })

  test.each([
    ['the usual one', {}],
    [
      'all of it',
      {
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      },
    ],
    ['without descriptions', { descriptions: false }],
  ])('as tools ask for it, %s, is answered, twice alike', async (_name, options) => {
    const [first, second] = [
      await world.query(getIntrospectionQuery(options)),
      await world.query(getIntrospectionQuery(options)),
    ]
    expect(first.data.__schema.types.length).toBeGreaterThan(50)
    expect(second).toEqual(first)
  })

  test('differs by variables, although the document is the same', async () => {
    const query = 'query ($name: String!) { __type(name: $name) { name } }'
    expect((await world.query(query, { name: 'App' })).data).toEqual({ __type: { name: 'App' } })
    expect((await world.query(query, { name: 'AppEnv' })).data).toEqual({ __type: { name: 'AppEnv' } })
  })

  test('beside other fields needs a token, and is limited alike', async () => {
    const query = `{ apps(first: 1) { nodes { id } } ${ATTACKS.aliases?.[0].slice(1)}`
    expect((await world.query(query)).errors?.[0]?.extensions.reason).toBe('TOO_COSTLY')
    expect(
      (await world.query('{ __schema { queryType { name } } apps(first: 1) { nodes { id } } }')).data,
    ).toMatchObject({
      __schema: { queryType: { name: 'Query' } },
    })
  })

  test('without a token uses up the budget of the address by its size, unless the answer is kept', async () => {
    const ask = async (query: string) => (await world.query(query, {}, null)).errors?.[0]?.extensions.code ?? null
    // 250 requests a minute, of which an answer of this size takes dozens, and more the larger the schema is.
    const codes = []
    for (let count = 0; count < 20; count += 1) codes.push(await ask(`# ${count}\n${getIntrospectionQuery()}`))
    expect(codes[0]).toBe(null)
    expect(codes.at(-1)).toBe('RATE_LIMITED')
    expect(codes.filter((code) => code === null).length).toBeGreaterThan(2)
  })
})
