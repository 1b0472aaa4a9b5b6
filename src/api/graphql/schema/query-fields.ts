import type { AnyQuery, ListQuery, Query, WholeListQuery } from '../../../calls/query.ts'
import { QUERIES } from '../../../services/catalogue.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { argumentsOf, inputOf } from '../derive/arguments.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { recordType, rowTypeOf } from '../derive/resource-fields.ts'
import { pageOfRows } from '../execution/text-page.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'

type Arguments = Record<string, unknown>
type QueryBuilder = Parameters<Extract<Parameters<typeof builder.queryFields>[0], (t: never) => unknown>>[0]
// The fields of every read are made alike, whatever its types.
type Made = ReturnType<QueryBuilder['string']>

/** Nouns that are found by their id alone. */
const NODES = new Set(QUERIES.flatMap((query) => (query.kind === 'one' && query.key ? [query.of] : [])))

/** A field for each read of the catalogue, and `node(id:)` for what is read by its id. */
builder.queryFields((t) => {
  const shown = QUERIES.filter(({ inGraphQL }) => inGraphQL !== null)
  return Object.fromEntries(shown.map((query) => [query.inGraphQL, fieldOf(t, query)]))
})

for (const query of QUERIES) if (query.kind === 'one' && query.inGraphQL !== null) findByNode(query)

function fieldOf(t: QueryBuilder, query: AnyQuery): Made {
  const words = {
    description: query.about,
    args: argumentsOf(t.arg, query),
    extensions: { permission: query.permission },
  }
  switch (query.kind) {
    case 'one':
      return oneField(t, query, words)
    case 'list':
      return query.isRecord ? recordConnection(t, query, words) : rowConnection(t, query, words)
    case 'whole':
      return wholeListField(t, query, words)
    case 'rest':
      throw new Error(`${query.name} is for REST alone`)
  }
}

interface Words {
  description: string
  args: object
  extensions: object
}

const typeOf = (query: Query<Arguments> | ListQuery<Arguments> | WholeListQuery<Arguments>): never => {
  if (!query.isRecord) return rowTypeOf(query.of)
  return recordType(query.of, NODES.has(query.of) ? [Node] : []) as never
}

function oneField(t: QueryBuilder, query: Query<Arguments>, words: Words): Made {
  const common = { ...words, type: typeOf(query), nullable: !query.isAlwaysThere }
  const find = (args: Arguments, context: GraphQLContext, wanted = {}) =>
    context.services.find(query, context, inputOf(query, args), wanted)
  if (query.isRecord)
    return t.field({
      ...common,
      resolve: (_root: unknown, args: Arguments, context: GraphQLContext) => find(args, context),
    } as never) as never
  return t.prismaField({
    ...common,
    resolve: (wanted: object, _root: unknown, args: Arguments, context: GraphQLContext) => find(args, context, wanted),
  } as never) as never
}

function rowConnection(t: QueryBuilder, query: ListQuery<Arguments>, { extensions, ...words }: Words): Made {
  const page = pageOfRows<Arguments>(
    (slice, args, context) => context.services.slice(query, context, inputOf(query, args), slice),
    (args, context) => context.services.count(query, context, inputOf(query, args)),
  )
  const type = typeOf(query)
  const settings = { ...page, ...words, type, extensions: { ...page.extensions, ...extensions } }
  return t.prismaConnection(settings as never, connectionTypeOf(query.of, type)) as never
}

function recordConnection(t: QueryBuilder, query: ListQuery<Arguments>, { extensions, ...words }: Words): Made {
  const { cursorOf } = query
  if (!cursorOf) throw new Error(`${query.name} has no cursor`)
  const type = typeOf(query)
  const settings = {
    ...words,
    type,
    extensions: { ...extensions, pageSize: USUAL_PAGE },
    async resolve(_root: unknown, args: Arguments, context: GraphQLContext) {
      const input = inputOf(query, args)
      const found = await context.services.list(query, context, input, pageRequest(args, USUAL_PAGE))
      const totalCount = () => context.services.count(query, context, input)
      return { ...connectionOf(found, cursorOf, args.after as string | null | undefined), totalCount }
    },
  }
  const uncounted = [{ name: `${query.of.name}Connection` }, { name: `${query.of.name}Edge` }]
  const types = query.count ? [connectionTypeOf(query.of, type)] : uncounted
  return t.connection(settings as never, ...(types as never[])) as never
}

function wholeListField(t: QueryBuilder, query: WholeListQuery<Arguments>, words: Words): Made {
  return t.field({
    ...words,
    type: [typeOf(query)],
    resolve: (_root: unknown, args: Arguments, context: GraphQLContext) =>
      context.services.all(query, context, inputOf(query, args)),
  } as never) as never
}

function findByNode(query: Query<Arguments>): void {
  const { key, isRecord, of } = query
  if (!key) return
  findableAsNode(key.prefix, of.name, (context, id, wantedOf) =>
    context.services.find(query, context, { [key.field]: id }, isRecord ? {} : wantedOf()),
  )
}
