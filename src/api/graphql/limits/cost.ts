import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { MAX_PAGE, NESTED_PAGE, PLAIN_LIST } from './sizes.ts'

export type Variables = Readonly<Record<string, unknown>>

interface Reckoning {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Variables
  /** A fragment is counted once, however often it is spread: documents cannot grow by nesting fragments. */
  known: Map<string, number>
  problems: Problem[]
}

/** A problem with the requested page size. */
export interface Problem {
  reason: 'PAGE_SIZE' | 'CURSOR'
  message: string
}

export interface Cost {
  cost: number
  problems: Problem[]
}

/** How many values an operation may ask for: each field once, times the sizes of the lists above it. */
export function costOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
): Cost {
  const reckoning: Reckoning = { schema, fragments, variables, known: new Map(), problems: [] }
  const root = schema.getRootType(operation.operation)
  const cost = root ? costOfSelections(reckoning, operation.selectionSet, root, 1) : 0
  return { cost, problems: reckoning.problems }
}

function costOfSelections(
  reckoning: Reckoning,
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType,
  pageSize: number,
): number {
  let cost = 0
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      cost += costOfField(reckoning, selection, parent, pageSize)
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const name = selection.typeCondition?.name.value
      const type = (name && reckoning.schema.getType(name)) || parent
      cost += costOfSelections(reckoning, selection.selectionSet, type, pageSize)
    } else {
      cost += costOfFragment(reckoning, selection.name.value, pageSize)
    }
  }
  return cost
}

function costOfFragment(reckoning: Reckoning, name: string, pageSize: number): number {
  const key = `${name} ${pageSize}`
  const known = reckoning.known.get(key)
  if (known !== undefined) return known
  const fragment = reckoning.fragments.get(name)
  const type = fragment && reckoning.schema.getType(fragment.typeCondition.name.value)
  // Stored before it is counted: a cycle, which validation refuses anyway, ends here.
  reckoning.known.set(key, 0)
  const cost = fragment && type ? costOfSelections(reckoning, fragment.selectionSet, type, pageSize) : 0
  reckoning.known.set(key, cost)
  return cost
}

function costOfField(reckoning: Reckoning, node: FieldNode, parent: GraphQLNamedType, pageSize: number): number {
  if (!node.selectionSet || !(isObjectType(parent) || isInterfaceType(parent))) return 1
  const field = parent.getFields()[node.name.value]
  // Introspection is counted by itself, in what it answers with.
  if (!field || node.name.value.startsWith('__')) return 1
  const own = sizeAsked(reckoning, node, field)
  const times = own === null ? listSize(field, pageSize) : 1
  return 1 + times * costOfSelections(reckoning, node.selectionSet, getNamedType(field.type), own ?? 1)
}

/** `edges` and `nodes` hold as many as their connection was asked for; other lists have an assumed size. */
function listSize(field: GraphQLField<unknown, unknown>, pageSize: number): number {
  const isList = isListType(field.type) || ('ofType' in field.type && isListType(field.type.ofType))
  if (!isList) return 1
  return field.name === 'edges' || field.name === 'nodes' ? pageSize : PLAIN_LIST
}

/** The page size requested of a connection; null for any other field. */
function sizeAsked(
  { variables, problems }: Reckoning,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): number | null {
  if (!field.args.some(({ name }) => name === 'first')) return null
  const usual = field.extensions.pageSize
  let size = typeof usual === 'number' ? usual : NESTED_PAGE
  for (const { name, value } of node.arguments ?? []) {
    const place = `${node.name.value}(${name.value}:)`
    const asked = valueAsked(value, variables)
    if (name.value === 'first' || name.value === 'last') {
      if (typeof asked !== 'number') continue
      if (asked < 1 || asked > MAX_PAGE)
        problems.push({ reason: 'PAGE_SIZE', message: `${place} must be 1 to ${MAX_PAGE}, not ${asked}` })
      size = Math.min(Math.max(asked, 1), MAX_PAGE)
    } else if (typeof asked === 'string' && (name.value === 'after' || name.value === 'before')) {
      if (!isCursorFor(field, asked))
        problems.push({ reason: 'CURSOR', message: `${place} must be a cursor of an earlier page` })
    }
  }
  return size
}

function valueAsked(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.VARIABLE) return variables[value.name.value]
  if (value.kind === Kind.INT) return Number(value.value)
  return value.kind === Kind.STRING ? value.value : null
}

const ID = '[a-z]{2,5}_[0-9a-z]{26}'
const BY_ID = new RegExp(`^GPC:S:${ID}$`)
/** Members have no id: the ids of the account and the user together name one. */
const BY_TWO_IDS = new RegExp(`^GPC:T:\\["S:${ID}","S:${ID}"\\]$`)

/**
 * Whether this connection can have issued the cursor. Cursors hold a value and its type, and the library passes any of
 * them to the database client, so only ids are let through. Other kinds of cursor are checked by the code that reads
 * them.
 */
function isCursorFor(connection: GraphQLField<unknown, unknown>, cursor: string): boolean {
  const text = Buffer.from(cursor, 'base64').toString('utf8')
  if (!text.startsWith('GPC:')) return true
  return (nodeTypeOf(connection) === 'Member' ? BY_TWO_IDS : BY_ID).test(text)
}

function nodeTypeOf({ type }: GraphQLField<unknown, unknown>): string | null {
  const named = getNamedType(type)
  const nodes = isObjectType(named) ? named.getFields().nodes : undefined
  return nodes ? getNamedType(nodes.type).name : null
}
