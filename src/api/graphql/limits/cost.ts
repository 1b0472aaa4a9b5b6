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
import { MAX_NODES, MAX_PAGE, PLAIN_LIST, USUAL_PAGE } from './sizes.ts'

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
  /** In objects. */
  cost: number
  /** What the fields of the root cost, the costliest first. */
  parts: CostPart[]
  problems: Problem[]
}

export interface CostPart {
  field: string
  cost: number
}

/** Costs are counted in tenths of an object: an object is a row that is found; a scalar is written from one. */
const OBJECT = 10
const SCALAR = 1

/** Fields that take longer than others of their kind. */
const DEAR: Readonly<Record<string, number>> = {
  /** All rows are counted. */
  totalCount: 20 * OBJECT,
  /** What was used is summed up. */
  usage: 50 * OBJECT,
  usageLines: 50 * OBJECT,
}

/**
 * How many objects an operation may ask for: each once, times the sizes of the lists above it; ten scalar fields count
 * as one. The objects that a connection is made of are free: what it lists is counted.
 */
export function costOf(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
): Cost {
  const reckoning: Reckoning = { schema, fragments, variables, known: new Map(), problems: [] }
  const root = schema.getRootType(operation.operation)
  const parts = root ? partsOf(reckoning, operation.selectionSet, root) : []
  const cost = parts.reduce((sum, part) => sum + part.cost, 0)
  return {
    cost: inObjects(cost),
    parts: parts.map((part) => ({ ...part, cost: inObjects(part.cost) })),
    problems: reckoning.problems,
  }
}

const inObjects = (tenths: number) => Math.ceil(tenths / OBJECT)

function partsOf(reckoning: Reckoning, { selections }: SelectionSetNode, root: GraphQLNamedType): CostPart[] {
  const parts = selections.map((selection) => ({
    field: selection.kind === Kind.FIELD ? selection.name.value : '...',
    cost: costOfSelections(reckoning, { kind: Kind.SELECTION_SET, selections: [selection] }, root, 1),
  }))
  return parts.sort((one, other) => other.cost - one.cost)
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
  const name = node.name.value
  if (!node.selectionSet || !(isObjectType(parent) || isInterfaceType(parent)))
    return (Object.hasOwn(DEAR, name) && DEAR[name]) || SCALAR
  const field = parent.getFields()[name]
  // Introspection is counted by itself, in what it answers with.
  if (!field || name.startsWith('__')) return SCALAR
  const type = getNamedType(field.type)
  const own = sizeAsked(reckoning, node, field)
  const times = own === null ? listSize(reckoning, node, field, parent, pageSize) : 1
  return times * (costOfObject(field, parent) + costOfSelections(reckoning, node.selectionSet, type, own ?? 1))
}

/** The position of a page and its edges hold nothing of their own. */
function costOfObject({ name, extensions }: GraphQLField<unknown, unknown>, parent: GraphQLNamedType): number {
  if (isConnection(parent) && name !== 'nodes') return 0
  const own = typeof extensions.objects === 'number' ? extensions.objects * OBJECT : OBJECT
  return (Object.hasOwn(DEAR, name) && DEAR[name]) || own
}

const isConnection = ({ name }: GraphQLNamedType): boolean => name.endsWith('Connection')

/** `edges` and `nodes` hold as many as their connection was asked for; other lists have an assumed size. */
function listSize(
  { variables }: Reckoning,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  parent: GraphQLNamedType,
  pageSize: number,
): number {
  const isList = isListType(field.type) || ('ofType' in field.type && isListType(field.type.ofType))
  if (!isList) return 1
  if (isConnection(parent)) return pageSize
  const ids = node.arguments?.find(({ name }) => name.value === 'ids')?.value
  return ids ? idsAsked(ids, variables) : PLAIN_LIST
}

/** How many ids `nodes` is given; one id that is no list is a list of one. */
function idsAsked(value: ValueNode, variables: Variables): number {
  const ids =
    value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.LIST ? value.values : [value]
  return Array.isArray(ids) ? Math.min(ids.length, MAX_NODES) : 1
}

/** The page size requested of a connection; null for any other field. */
function sizeAsked(
  { variables, problems }: Reckoning,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
): number | null {
  if (!field.args.some(({ name }) => name === 'first')) return null
  const usual = field.extensions.pageSize
  let size = typeof usual === 'number' ? usual : USUAL_PAGE
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
