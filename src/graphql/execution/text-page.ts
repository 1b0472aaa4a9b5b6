import { formatPrismaCursor, parsePrismaCursor } from '@pothos/plugin-prisma'
import { type GraphQLField, isEnumType } from 'graphql'
import type { TextField, WantedText } from '../../database/reads/row-text.ts'
import type { Slice } from '../../services/kernel/read.ts'
import type { GraphQLContext } from '../context.ts'
import { MAX_PAGE, ROOT_PAGE } from '../limits/sizes.ts'
import type { FieldPlan, ObjectPlan, TextPage, ValuePlan } from './planned.ts'

type Rows = Promise<readonly object[]>

/** Reads the rows of a page that a list's arguments name. */
type ReadPage<Args> = (query: Slice, args: Args, context: GraphQLContext) => Rows

/** Settings of a root connection whose rows have ids for cursors. A plan may read its rows as texts. */
export const pageOfRows = <Args>(read: ReadPage<Args>) => ({
  cursor: 'id' as const,
  defaultSize: ROOT_PAGE,
  extensions: { pageSize: ROOT_PAGE, [READ]: read },
  resolve: ((query: Slice, _root: unknown, args: Args, context: GraphQLContext) => read(query, args, context)) as never,
})

const READ = 'berthReadPage'

/** Of a field whose answer has only columns of its rows. */
export function textPage({ extensions }: GraphQLField<unknown, unknown>, page: ValuePlan): TextPage | null {
  const read = extensions[READ] as ReadPage<unknown> | undefined
  const [rows, ...others] = read ? rowsOf(page) : []
  // Rows that are wanted in two forms have no one text.
  if (!read || !rows || others.length > 0 || rows.fields.length === 0) return null
  const fields = rows.fields.map(textField)
  if (!fields.every((field) => field !== null)) return null
  const text: WantedText = { key: JSON.stringify(fields), fields }
  const columns = fields.flatMap((field) => ('column' in field ? [[field.column, true]] : []))
  const wanted = { text, select: { id: true, ...Object.fromEntries(columns) } }
  return (args, context) => {
    // Paging backwards is rare, and left to Pothos.
    if (args.last != null || args.before != null) return null
    const size = Math.min((args.first as number | null | undefined) ?? ROOT_PAGE, MAX_PAGE)
    const from = args.after == null ? { skip: 0 } : { skip: 1, cursor: { id: parsePrismaCursor(args.after) } }
    const reading = read({ ...wanted, ...from, take: size + 1 }, args, context as GraphQLContext)
    return pageOf(reading, size, args.after != null)
  }
}

async function pageOf(reading: Rows, size: number, hasPreviousPage: boolean): Promise<Page> {
  const rows = await reading
  const hasNextPage = rows.length > size
  return new Page(hasNextPage ? rows.slice(0, size) : rows, { hasPreviousPage, hasNextPage })
}

/** A page as Pothos has it. Cursors are made when they are asked for. */
class Page {
  readonly edges: Edge[]
  readonly #position: { hasPreviousPage: boolean; hasNextPage: boolean }

  constructor(rows: readonly object[], position: { hasPreviousPage: boolean; hasNextPage: boolean }) {
    this.edges = rows.map((row) => new Edge(row))
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

function textField({ name, column, value }: FieldPlan): TextField | null {
  if (value.kind === 'typename') return { name, text: value.typeName }
  if (value.kind !== 'leaf' || column === null) return null
  const { type, isRequired } = value
  if (!isEnumType(type)) return { name, column, type: type.name, isRequired }
  const values = type.getValues()
  // Others are written under another name than they are stored.
  if (values.some(({ name, value }) => name !== value)) return null
  return { name, column, type: 'enum', isRequired, values: values.map(({ name }) => name) }
}
