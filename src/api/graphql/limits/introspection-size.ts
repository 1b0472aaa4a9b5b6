import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  introspectionTypes,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
} from 'graphql'
import type { Variables } from './cost.ts'

/** A document that asks for everything twice is a mistake; one that asks for more multiplies. */
const TIMES_THE_STANDARD = 2

// About what a short value takes in the answer, with its name.
const CHARACTERS_PER_VALUE = 20

const TYPES = new Map(introspectionTypes.map((type) => [type.name, type as GraphQLObjectType]))

interface Count {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Variables
  values: number
  most: number
}

/**
 * How many values `__schema` and `__type` would answer with. The schema is there to be counted, so this is exact. It
 * ends where `most` is exceeded, so that counting costs no more than an answer that is allowed.
 */
export function introspectionSize(
  schema: GraphQLSchema,
  field: FieldNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
  most: number,
): number {
  const count: Count = { schema, fragments, variables, values: 1, most }
  const type = TYPES.get(field.name.value === '__schema' ? '__Schema' : '__Type')
  const source = field.name.value === '__schema' ? schema : typeNamed(count, field)
  if (field.selectionSet && type && source) countSelections(count, field.selectionSet, type, source)
  return count.values
}

function typeNamed({ schema, variables }: Count, field: FieldNode): unknown {
  const name = argumentsOf(field, variables).name
  return typeof name === 'string' ? schema.getType(name) : null
}

function countSelections(count: Count, { selections }: SelectionSetNode, type: GraphQLObjectType, source: unknown) {
  for (const selection of selections) {
    if (count.values > count.most) return
    if (selection.kind === Kind.FIELD) {
      countField(count, selection, type, source)
      continue
    }
    // A chain of fragments costs a step each, wherever it is spread.
    count.values += 1
    if (selection.kind === Kind.INLINE_FRAGMENT) countSelections(count, selection.selectionSet, type, source)
    else {
      const fragment = count.fragments.get(selection.name.value)
      if (fragment) countSelections(count, fragment.selectionSet, type, source)
    }
  }
}

function countField(count: Count, node: FieldNode, type: GraphQLObjectType, source: unknown): void {
  count.values += 1 + Math.floor(lengthOf(node, source) / CHARACTERS_PER_VALUE)
  const field = type.getFields()[node.name.value]
  if (!field || !node.selectionSet) return
  const inner = getNamedType(field.type)
  if (isLeafType(inner) || !isObjectType(inner)) return
  const info = { schema: count.schema } as GraphQLResolveInfo
  const value = field.resolve?.(source, argumentsOf(node, count.variables), undefined, info)
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item) countSelections(count, node.selectionSet, inner, item)
  }
}

/** Of the one kind of value that may be long. */
function lengthOf({ name }: FieldNode, source: unknown): number {
  if (name.value !== 'description') return 0
  return (source as { description?: string | null } | null)?.description?.length ?? 0
}

/** Introspection has arguments of two kinds only: `includeDeprecated`, and the name of a type. */
function argumentsOf({ arguments: given = [] }: FieldNode, variables: Variables): Record<string, unknown> {
  return Object.fromEntries(
    given.map(({ name, value }) => {
      if (value.kind === Kind.VARIABLE) return [name.value, variables[value.name.value]]
      return [name.value, value.kind === Kind.BOOLEAN || value.kind === Kind.STRING ? value.value : undefined]
    }),
  )
}

const limits = new WeakMap<GraphQLSchema, number>()

/** The most values that introspection may answer with: a multiple of what tools ask for. */
export function maxIntrospection(schema: GraphQLSchema): number {
  const known = limits.get(schema)
  if (known !== undefined) return known
  const everything = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true }
  const document = parse(getIntrospectionQuery({ ...everything, inputValueDeprecation: true, oneOf: true }))
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const operation = document.definitions.find(
    (one) => one.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode
  const [field] = operation.selectionSet.selections as FieldNode[]
  const size = field ? introspectionSize(schema, field, fragments, {}, Number.POSITIVE_INFINITY) : 0
  limits.set(schema, TIMES_THE_STANDARD * size)
  return TIMES_THE_STANDARD * size
}
