import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type DocumentNode,
  getNamedType,
  isCompositeType,
  isEnumType,
  isObjectType,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  TypeInfo,
  type TypeNode,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'

/** As many ids as the console reads at once. */
const LIST_LENGTH = 30

const SOURCE = join(import.meta.dirname, '../../console/src')

interface Found {
  file: string
  name: string
  text: string
}

/** Every document and fragment of the console. Their files import nothing of the browser. */
const found: Found[] = []
for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!file.endsWith('documents.ts')) continue
  const exported = (await import(pathToFileURL(join(SOURCE, file)).href)) as Record<string, DocumentNode>
  for (const [name, document] of Object.entries(exported)) {
    if (document.loc) found.push({ file, name, text: document.loc.source.body })
  }
}

const operations = found.filter(({ text }) => /^\s*(query|mutation|subscription)\b/m.test(text))
const cases = (of: Found[]) => of.map((one) => [`${one.file} ${one.name}`, one] as const)

test('there are documents', () => {
  expect(operations.length).toBeGreaterThan(10)
})

describe.each(cases(found))('%s', (_title, { text }) => {
  const document = parse(text)

  test('is valid', () => {
    const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule)
    expect(validate(schema, document, rules).map(({ message }) => message)).toEqual([])
  })

  // Without its id, a thing is not in the cache by itself, and an event about it does not show.
  test('selects the id of whatever has one', () => {
    const without: string[] = []
    const types = new TypeInfo(schema)
    visit(
      document,
      visitWithTypeInfo(types, {
        SelectionSet(node, _key, parent) {
          const type = getNamedType(types.getParentType())
          if (!type || !isCompositeType(type) || !isObjectType(type) || !type.getFields().id) return
          const kinds = node.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : one.kind))
          // What a fragment has is checked where it is declared, and an inline one is within a set that has it.
          const isWithin = parent && 'kind' in parent && parent.kind === Kind.INLINE_FRAGMENT
          if (kinds.includes('id') || kinds.includes(Kind.FRAGMENT_SPREAD) || isWithin) return
          without.push(type.name)
        },
      }),
    )
    expect(without).toEqual([])
  })
})

describe('by the server’s limits', () => {
  let world: GraphQLWorld
  beforeAll(async () => {
    world = await createGraphQLWorld()
  })
  afterAll(() => world?.close())

  const queries = operations.filter(({ text }) => /^\s*query\b/m.test(text))

  test.each(cases(queries))('%s uses half of what a request may cost', async (_title, { text }) => {
    const document = parse(text)
    const variables = Object.fromEntries(
      document.definitions.flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION
          ? (definition.variableDefinitions ?? []).flatMap(({ variable, type }) =>
              type.kind === Kind.NON_NULL_TYPE ? [[variable.name.value, sampleOf(type.type)]] : [],
            )
          : [],
      ),
    )
    const query = text.replace(/\{/, '{ requestCost { requested allowed } ')
    const { data, errors } = await world.query(query, variables)
    expect((errors ?? []).filter(({ extensions }) => `${extensions.reason}`.startsWith('TOO_'))).toEqual([])
    expect(data.requestCost.requested).toBeLessThan(data.requestCost.allowed / 2)
  })
})

/** Of a required variable: nothing has such an id, which costs as much as one that something has. */
function sampleOf(type: TypeNode): unknown {
  if (type.kind === Kind.NON_NULL_TYPE) return sampleOf(type.type)
  if (type.kind === Kind.LIST_TYPE) return Array.from({ length: LIST_LENGTH }, () => sampleOf(type.type))
  const name = type.name.value
  if (name === 'Int') return 50
  if (name === 'Boolean') return true
  if (name === 'DateTime') return '2026-01-01T00:00:00Z'
  const named = schema.getType(name)
  return isEnumType(named) ? named.getValues()[0]?.name : 'env_00000000000000000000000000'
}
