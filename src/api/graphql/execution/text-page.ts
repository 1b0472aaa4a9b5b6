import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { type GraphQLField, isEnumType } from 'graphql'
import type { Slice } from '../../../calls/read.ts'
import type { FlatField, ListField, TextField, WantedText } from '../../../storage/database/reads/row-text.ts'
import type { GraphQLContext } from '../context.ts'
import { passesGuards } from '../derive/guarded-fields.ts'
import { MAX_PAGE, USUAL_PAGE } from '../limits/sizes.ts'
import type { FieldPlan, ObjectPlan, TextPage, ValuePlan } from './planned.ts'

type Rows = Promise<readonly object[]>

/** Reads the rows of a page that a list's arguments name. */
type ReadPage<Args> = (query: Slice, args: Args, context: GraphQLContext) => Rows

/** Counts the rows of all pages. */
type CountRows<Args> = (args: Args, context: GraphQLContext) => Promise<number>

/** Settings of a root connection whose rows have ids for cursors. A plan may read its rows as texts. */
export const pageOfRows = <Args>(read: ReadPage<Args>, count: CountRows<Args>) => ({
  cursor: 'id' as const,
  defaultSize: USUAL_PAGE,
  extensions: { pageSize: USUAL_PAGE, [READ]: { read, count } satisfies RootRows<Args> },
  totalCount: (_root: unknown, args: Args, context: GraphQLContext) => count(args, context),
  resolve: ((query: Slice, _root: unknown, args: Args, context: GraphQLContext) => read(query, args, context)) as never,
})

interface RootRows<Args> {
  read: ReadPage<Args>
  count: CountRows<Args>
}

/** The rows of a connection inside another, and their order. */
type RelatedRows<Query> = (context: GraphQLContext) => Query

/** Settings of such a connection, with its words. */
export const relatedRows = <Query extends { where?: object; orderBy: object }>(
  relation: string,
  { extensions, ...words }: { description: string; extensions: object },
  rows: RelatedRows<Query>,
) => ({
  ...words,
  cursor: 'id' as const,
  totalCount: true as const,
  query: (_args: object, context: GraphQLContext) => rows(context),
  extensions: { ...extensions, [RELATED]: { relation, rows } satisfies Related },
})

const READ = 'berthReadPage'
const RELATED = 'berthRelatedRows'

interface Related {
  relation: string
  rows: RelatedRows<object>
}

/** Of a field whose answer has only columns of its rows, and of rows that belong to them. */
export function textPage({ extensions }: GraphQLField<unknown, unknown>, page: ValuePlan): TextPage | null {
  const root = extensions[READ] as RootRows<unknown> | undefined
  const [rows, ...others] = root ? rowsOf(page) : []
  // Rows that are wanted in two forms have no one text.
  if (!root || !rows || others.length > 0 || rows.fields.length === 0) return null
  const fields = rows.fields.map(textField)
  if (!fields.every((field) => field !== null)) return null
  const key = JSON.stringify(fields)
  const nested = rows.fields.filter((field) => relatedTo(field))
  const isGuarded = hasGuarded(page)
  const columns = fields.flatMap((field) => ('column' in field ? [[field.column, true]] : []))
  const select = { id: true, ...Object.fromEntries(columns) }
  return (field, argumentsOf, context) => {
    const asked = context as GraphQLContext
    const args = argumentsOf(field)
    const lists = nested.map((one) => partOf(one, argumentsOf(one), asked))
    if (!isPlain(args) || lists.includes(null) || (isGuarded && !passesGuards(asked))) return null
    const text = { key, fields, lists } as WantedText
    const size = sizeOf(args, USUAL_PAGE)
    const from = args.after == null ? { skip: 0 } : { skip: 1, cursor: { id: parsePrismaCursor(args.after) } }
    const reading = root.read({ text, select, ...from, take: size + 1 }, args, asked)
    return pageOf(reading, size, args.after != null, () => root.count(args, asked))
  }
}

type Arguments = Readonly<Record<string, unknown>>

/** Paging backwards is rare, and left to Pothos. */
const isPlain = ({ last, before }: Arguments) => last == null && before == null
const sizeOf = ({ first }: Arguments, whenAbsent: number) =>
  Math.min((first as number | null | undefined) ?? whenAbsent, MAX_PAGE)

/** The first page of the rows that belong to a row; null for any other. */
function partOf(field: FieldPlan, args: Arguments, context: GraphQLContext) {
  const related = relatedTo(field)
  if (!related || !isPlain(args) || args.after != null) return null
  return { ...related.rows(context), take: sizeOf(args, USUAL_PAGE) }
}

const relatedTo = ({ field }: FieldPlan) => field?.extensions[RELATED] as Related | undefined

type Count = () => Promise<number>

async function pageOf(reading: Rows, size: number, hasPreviousPage: boolean, count: Count): Promise<Page> {
  const rows = await reading
  const hasNextPage = rows.length > size
  return new Page(hasNextPage ? rows.slice(0, size) : rows, { hasPreviousPage, hasNextPage }, count)
}

/** A page as Pothos has it. Cursors are made when they are asked for. */
class Page {
  readonly edges: Edge[]
  readonly totalCount: Count
  readonly #position: { hasPreviousPage: boolean; hasNextPage: boolean }

  constructor(rows: readonly object[], position: { hasPreviousPage: boolean; hasNextPage: boolean }, count: Count) {
    this.edges = rows.map((row) => new Edge(row))
    this.totalCount = count
    this.#position = position
  }

  get pageInfo() {
    const { edges } = this
    const ends = { startCursor: edges[0]?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null }
    return { ...ends, ...this.#position }
  }
}

class Edge {
  readonly node: object

  constructor(node: object) {
    this.node = node
  }

  get cursor(): string {
    return formatPrismaCursor(this.node as Record<string, unknown>, 'id' as never)
  }
}

function rowsOf(page: ValuePlan): ObjectPlan[] {
  if (page.kind !== 'object') return []
  return page.plan.fields.flatMap(({ field, value }) => {
    if (field?.name === 'nodes') return itemsOf(value)
    if (field?.name !== 'edges') return []
    return itemsOf(value).flatMap((edge) =>
      edge.fields.flatMap(({ field, value }) => (field?.name === 'node' ? planOf(value) : [])),
    )
  })
}

const itemsOf = (value: ValuePlan) => (value.kind === 'list' ? planOf(value.item) : [])
const planOf = (value: ValuePlan) => (value.kind === 'object' ? [value.plan] : [])

/** Whether something below may be read only with a permission. */
function hasGuarded(value: ValuePlan): boolean {
  if (value.kind === 'list') return hasGuarded(value.item)
  return value.kind === 'object' && value.plan.fields.some((field) => field.isGuarded || hasGuarded(field.value))
}

function textField(plan: FieldPlan): TextField | null {
  const related = relatedTo(plan)
  return related ? listField(plan, related) : flatField(plan)
}

/** A page that has its rows as `nodes`, and nothing that must be counted. */
function listField({ name, value }: FieldPlan, { relation }: Related): ListField | null {
  if (value.kind !== 'object') return null
  const members = value.plan.fields.map((member) => {
    if (member.value.kind === 'typename') return { name: member.name, text: member.value.typeName }
    const [rows] = member.field.name === 'nodes' ? itemsOf(member.value) : []
    const fields = rows?.fields.map(flatField)
    return fields?.every((field) => field !== null) ? { name: member.name, rows: fields } : null
  })
  const isWhole = members.every((member) => member !== null) && members.some((member) => 'rows' in member)
  return isWhole ? { name, relation, members } : null
}

function flatField({ name, column, value }: FieldPlan): FlatField | null {
  if (value.kind === 'typename') return { name, text: value.typeName }
  if (value.kind !== 'leaf' || column === null) return null
  const { type, isRequired } = value
  if (!isEnumType(type)) return { name, column, type: type.name, isRequired }
  const values = type.getValues()
  // Others are written under another name than they are stored.
  if (values.some(({ name, value }) => name !== value)) return null
  return { name, column, type: 'enum', isRequired, values: values.map(({ name }) => name) }
}
