import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInterfaceType,
  isListType,
} from 'graphql'
import type { Draw } from '../../hostile/draw.ts'

/** What arguments are drawn from. */
export interface Pool {
  /** Ids of every noun that there is one of, by their prefix. */
  ids: Readonly<Record<string, readonly string[]>>
  envNames: readonly string[]
  /** Cursors as connections issue them, by the type of their items. */
  cursorsOf: Readonly<Record<string, readonly string[]>>
  /** Sizes of pages; small ones when omitted. */
  sizes?: readonly number[]
}

export interface Drawn {
  query: string
  variables: Record<string, unknown>
}

interface Drawing {
  draw: Draw
  pool: Pool
  schema: GraphQLSchema
  variables: Record<string, unknown>
  declared: string[]
  fragments: string[]
  names: number
}

/** Fields whose answer changes while nobody changes anything, or that leave something behind. */
const LEFT_OUT = new Set([
  'metrics',
  'metricsSeries',
  'lastUsedAt',
  'measuredAt',
  'timestamp',
  // Up to now, where the call names no end.
  'Usage.to',
  'Usage.forecast',
])
const ARGUMENTS_LEFT_OUT = new Set(['reveal'])
const MAX_DEPTH = 6

/** A query that validation mostly accepts, of everything that clients write: so often refused as answered. */
export function drawDocument(schema: GraphQLSchema, pool: Pool, draw: Draw): Drawn {
  const drawing: Drawing = { draw, pool, schema, variables: {}, declared: [], fragments: [], names: 0 }
  const root = schema.getQueryType() as GraphQLObjectType
  const body = selectionOf(drawing, root, 0)
  const { declared, fragments, variables } = drawing
  const head = declared.length > 0 ? `query Drawn(${declared.join(', ')}) ` : draw.chance(0.5) ? 'query Drawn ' : ''
  return { query: [head + body, ...fragments].join('\n'), variables }
}

function selectionOf(drawing: Drawing, type: GraphQLOutputType, depth: number): string {
  const { draw } = drawing
  const named = getNamedType(type)
  if (isInterfaceType(named)) return `{ __typename id ${onTypes(drawing, named.name, depth)} }`
  const fields = Object.values((named as GraphQLObjectType).getFields()).filter(
    ({ name }) => !LEFT_OUT.has(name) && !LEFT_OUT.has(`${named.name}.${name}`),
  )
  const count = depth === 0 ? draw.whole(1, 2) : draw.whole(1, 5)
  const chosen = Array.from({ length: count }, () => draw.one(fields))
  // A page without its items says little.
  const isPage = named.name.endsWith('Connection')
  const items = isPage ? fields.find(({ name }) => name === 'edges' || name === 'nodes') : undefined
  if (items && draw.chance(0.8)) chosen.push(items)
  const parts = chosen.map((field) => fieldOf(drawing, field, depth)).filter((part) => part !== null)
  if (parts.length === 0 || draw.chance(0.1)) parts.push('__typename')
  return `{ ${grouped(drawing, named.name, parts)} }`
}

function onTypes(drawing: Drawing, interfaceName: string, depth: number): string {
  const { draw, schema } = drawing
  const types = schema.getPossibleTypes(schema.getType(interfaceName) as never)
  const chosen = Array.from({ length: draw.whole(1, 4) }, () => draw.one(types))
  return chosen.map((type) => `... on ${type.name} ${selectionOf(drawing, type, depth + 1)}`).join(' ')
}

/** Some of the fields in fragments, with a name or without. */
function grouped(drawing: Drawing, typeName: string, parts: string[]): string {
  const { draw } = drawing
  if (!draw.chance(0.2)) return parts.join(' ')
  const cut = draw.whole(0, parts.length - 1)
  const inside = parts.slice(cut).join(' ')
  const outside = parts.slice(0, cut).join(' ')
  if (draw.chance(0.4))
    return `${outside} ... ${draw.chance(0.5) ? `on ${typeName}` : ''}${condition(drawing)} { ${inside} }`
  drawing.names += 1
  const name = `Part${drawing.names}`
  drawing.fragments.push(`fragment ${name} on ${typeName} { ${inside} }`)
  return `${outside} ...${name}${condition(drawing)}${draw.chance(0.2) ? ` ...${name}` : ''}`
}

function fieldOf(drawing: Drawing, field: GraphQLField<unknown, unknown>, depth: number): string | null {
  const { draw } = drawing
  const isLeaf = !isCompositeType(getNamedType(field.type))
  if (!isLeaf && depth >= MAX_DEPTH) return null
  const given = field.args
    .filter(({ name }) => !ARGUMENTS_LEFT_OUT.has(name))
    .map((arg) => argumentOf(drawing, field, arg))
  const args = given.filter((arg) => arg !== null)
  // Arguments of one field name may differ only under different names.
  drawing.names += 1
  const alias =
    args.length > 0 || !isLeaf ? `f${drawing.names}: ` : draw.chance(0.15) ? `f${draw.whole(1, 3)}_${field.name}: ` : ''
  const call = args.length > 0 ? `(${args.join(', ')})` : ''
  const inner = isLeaf ? '' : ` ${selectionOf(drawing, field.type, depth + 1)}`
  return `${alias}${field.name}${call}${condition(drawing)}${inner}`
}

function condition(drawing: Drawing): string {
  const { draw } = drawing
  if (!draw.chance(0.08)) return ''
  const value = draw.chance(0.5) ? String(draw.chance(0.5)) : variable(drawing, 'Boolean!', draw.chance(0.5))
  return ` @${draw.one(['skip', 'include'])}(if: ${value})`
}

function argumentOf(drawing: Drawing, field: GraphQLField<unknown, unknown>, arg: GraphQLArgument): string | null {
  const { draw } = drawing
  const type = String(arg.type)
  const isRequired = type.endsWith('!')
  if (!isRequired && !draw.chance(usualness(field, arg.name))) return null
  const value = drawnValue(drawing, field, arg)
  if (!draw.chance(0.3)) return `${arg.name}: ${literal(arg, value)}`
  return `${arg.name}: ${variable(drawing, type, value)}`
}

function literal(arg: GraphQLArgument, value: unknown): string {
  if (!isEnumType(getNamedType(arg.type))) return JSON.stringify(value)
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}

/** Filters of lists, of which each leaves less to compare. */
const FILTERS = new Set(['name', 'type', 'status', 'health', 'labels', 'kind', 'outcome', 'from', 'to', 'region'])

/** Paging both ways at once is refused, so it is rare; a noun is mostly named. */
function usualness({ args }: GraphQLField<unknown, unknown>, name: string): number {
  if (FILTERS.has(name) || name.startsWith('git') || name === 'requestedBy') return 0.06
  if (name === 'orderBy') return 0.4
  if (name === 'last' || name === 'before') return 0.12
  if (name === 'after') return 0.3
  if (name === 'first') return 0.6
  return name === 'envName' || name === 'isDeadLetter' ? 0.2 : args.length > 14 ? 0.3 : 0.6
}

function variable(drawing: Drawing, type: string, value: unknown): string {
  const { draw, declared, variables } = drawing
  const name = `v${declared.length}`
  if (!type.endsWith('!') && draw.chance(0.2)) {
    // Left out, null, or by a default.
    if (draw.chance(0.3)) variables[name] = null
    declared.push(`$${name}: ${type}${typeof value === 'number' ? ` = ${value}` : ''}`)
    return `$${name}`
  }
  variables[name] = draw.chance(0.03) ? { of: 'another type' } : value
  declared.push(`$${name}: ${type}`)
  return `$${name}`
}

const PREFIXES: Readonly<Record<string, string>> = {
  account: 'acc',
  accountId: 'acc',
  app: 'app',
  appId: 'app',
  appEnv: 'env',
  appEnvId: 'env',
  userId: 'usr',
  deployment: 'con',
  contentId: 'con',
  operation: 'op',
  operationId: 'op',
  requestedBy: 'usr',
  token: 'tok',
  credential: 'cred',
  webhook: 'hook',
  webhookId: 'hook',
  gitHook: 'ghook',
  gitHookId: 'ghook',
  gitDelivery: 'gdlv',
}

function drawnValue({ draw, pool }: Drawing, field: GraphQLField<unknown, unknown>, arg: GraphQLArgument): unknown {
  const type = getNullableType(arg.type)
  const named = getNamedType(type)
  if (isListType(type)) {
    if (isEnumType(named)) return [draw.one(named.getValues()).name]
    return named.name === 'ID' ? [idOf(draw, pool, undefined)] : ['team=checkout']
  }
  if (isEnumType(named)) return draw.one(named.getValues()).name
  if (named.name === 'Int' && pool.sizes) return draw.one(pool.sizes)
  if (named.name === 'Int') return draw.chance(0.9) ? draw.whole(1, 4) : draw.one([0, -1, 7, 1000, 1001])
  if (named.name === 'Boolean') return draw.chance(0.5)
  if (named.name === 'DateTime') return draw.one(['2021-05-06T12:00:00.000Z', '2040-01-01T00:00:00Z', 'yesterday'])
  if (arg.name === 'after' || arg.name === 'before') return cursorOf(draw, pool, field)
  if (named.name !== 'ID') return draw.chance(0.9) ? draw.one(pool.envNames) : draw.one(['', 'nowhere', 'bell\u0007'])
  return idOf(draw, pool, PREFIXES[arg.name] ?? PREFIXES[field.name])
}

/** Mostly one that the connection can have issued, perhaps in another list. */
function cursorOf(draw: Draw, pool: Pool, { type }: GraphQLField<unknown, unknown>): string {
  const fitting = pool.cursorsOf[nodeNameOf(type)]
  if (fitting?.length && draw.chance(0.85)) return draw.one(fitting)
  return draw.chance(0.5)
    ? draw.one(Object.values(pool.cursorsOf).flat())
    : draw.one(['', 'x', 'R1BDOk46MQ==', 'R1BDOlM6eA=='])
}

function nodeNameOf(type: GraphQLOutputType): string {
  const { nodes } = (getNamedType(type) as GraphQLObjectType).getFields()
  return nodes ? getNamedType(nodes.type).name : ''
}

function idOf(draw: Draw, pool: Pool, prefix: string | undefined): string {
  const all = Object.values(pool.ids).flat()
  const fitting = prefix ? pool.ids[prefix] : undefined
  if (draw.chance(0.88)) return draw.one(fitting?.length ? fitting : all)
  const unknown = `${prefix ?? 'app'}_01aaaaaaaaaaaaaaaaaaaaaaaa`
  // No NUL: Prisma fails everybody who asks in the same batch. A test of the reader has it.
  return draw.one([unknown, 'nonsense', '', draw.one(all), 'app_\u0007', `${prefix}_${'z'.repeat(300)}`])
}
