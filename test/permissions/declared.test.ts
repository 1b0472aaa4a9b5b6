import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { expect, test } from 'vitest'
import { declarePermissions, permissionOf } from '../../src/api/graphql/field-permissions.ts'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import { RULES } from '../../src/domain/permissions.ts'

const known = new Set<string>([...Object.keys(RULES), 'of what it finds'])

test('every route has a permission of the table', () => {
  const declared = routes.map((route) => ('read' in route ? route.read : route.command).permission)
  expect(declared.filter((permission) => !known.has(permission))).toEqual([])
})

test('every field that a query, a mutation or a subscription begins with has one', () => {
  const types = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  const fields = types.flatMap((type) => Object.values(type?.getFields() ?? {}))
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter((field) => !known.has(permissionOf(field) ?? '')).map(({ name }) => name)).toEqual([])
})

test('every permission of the table is asked for by some call', () => {
  const asked = new Set<string>(routes.map((route) => ('read' in route ? route.read : route.command).permission))
  // With decrypt=true, of tokens that are not one's own, and in variables: references.test.ts.
  const besides = ['variable:reveal', 'token:manage', 'credentials:refer']
  expect(Object.keys(RULES).filter((permission) => !asked.has(permission) && !besides.includes(permission))).toEqual([])
})

test('a field without a permission stops the schema', () => {
  const fields = { secrets: { type: GraphQLString } }
  const made = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) })
  expect(() => declarePermissions(made)).toThrow('Query.secrets has no permission: name it in field-permissions.ts')
})
