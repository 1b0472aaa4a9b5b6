import { alternativesInWords } from '../../../calls/alternatives.ts'
import type { AnyQuery, ListQuery, Query, WholeListQuery } from '../../../calls/query.ts'
import type { Slice } from '../../../calls/read.ts'
import { DomainError } from '../../../domain/errors.ts'
import { QUERIES } from '../../../services/catalogue.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { argumentName, argumentsOf, inNamesOf, inputOf } from '../derive/arguments.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { findableById } from '../derive/edges.ts'
import { recordType, rowTypeOf } from '../derive/resource-fields.ts'
import { pageOfRows } from '../execution/text-page.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { Account } from './account.ts'
import { App } from './app.ts'
import { AppEnv } from './app-env.ts'
import { Node } from './node.ts'
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

/** Each object that has the field is asked for it by itself: its cost is that of so many objects. */
const OBJECTS_OF_A_READ = 5

/** Where a read stands as a field of an object: it is asked with the object's id. */
interface Below {
  argument: string
  /** Arguments that would name other objects. */
  omitted: readonly string[]
}

function fieldOf(t: QueryBuilder, query: AnyQuery, below: Below | null = null): Made {
  const args = Object.entries(argumentsOf(t.arg, query)).filter(([name]) => !below?.omitted.includes(name))
  const words = {
    description: aboutOf(query, below),
    args: Object.fromEntries(args),
    extensions: {
      permission: query.permission,
      ...(below ? { declaredAs: query.name, objects: OBJECTS_OF_A_READ } : {}),
    },
    ...(below ? { nullable: true } : {}),
  }
  const given: Given = (parent, args) => {
    if (!below) return args
    const { id, accountId = id } = parent as { id: string; accountId?: string }
    // Without its account, the read would be about the caller's current one.
    return { ...args, ...('accountId' in query.input.shape ? { accountId } : {}), [below.argument]: id }
  }
  switch (query.kind) {
    case 'one':
      return oneField(t, query, words, given, below !== null)
    case 'list':
      return query.isRecord ? recordConnection(t, query, words, given) : rowConnection(t, query, words, given, below)
    case 'whole':
      return wholeListField(t, query, words, given)
    case 'rest':
      throw new Error(`${query.name} is for REST alone`)
  }
}

/** What a field is about, and which of its arguments one is needed of. */
function aboutOf(query: AnyQuery, below: Below | null): string {
  const nameOf = (field: string) => {
    const name = argumentName(query, field)
    return below && (name === below.argument || below.omitted.includes(name)) ? null : name
  }
  return [query.about, ...alternativesInWords(query.input.shape, nameOf)].join(' ')
}

/** The arguments of a read, of those that the caller gives and of the object that the field belongs to. */
type Given = (parent: unknown, args: Arguments) => Arguments

interface Words {
  description: string
  args: object
  extensions: object
}

const typeOf = (query: Query<Arguments> | ListQuery<Arguments> | WholeListQuery<Arguments>): never => {
  if (!query.isRecord) return rowTypeOf(query.of)
  return recordType(query.of, NODES.has(query.of) ? [Node] : []) as never
}

function oneField(t: QueryBuilder, query: Query<Arguments>, words: Words, given: Given, isBelow: boolean): Made {
  const common = { nullable: !query.isAlwaysThere, ...words, type: typeOf(query) }
  const find = async (parent: unknown, args: Arguments, context: GraphQLContext, wanted = {}) => {
    const input = inputOf(query, given(parent, args))
    try {
      return await context.services.find(query, context, input, wanted)
    } catch (error) {
      // An object has the thing or does not; asked for by itself, it is an error that there is none.
      if (isBelow && error instanceof DomainError && error.code === 'NOT_FOUND') return null
      throw inNamesOf(query, error)
    }
  }
  if (query.isRecord)
    return t.field({
      ...common,
      resolve: (parent: unknown, args: Arguments, context: GraphQLContext) => find(parent, args, context),
    } as never) as never
  return t.prismaField({
    ...common,
    resolve: (wanted: object, parent: unknown, args: Arguments, context: GraphQLContext) =>
      find(parent, args, context, wanted),
  } as never) as never
}

function rowConnection(
  t: QueryBuilder,
  query: ListQuery<Arguments>,
  { extensions, ...words }: Words,
  given: Given,
  below: Below | null,
): Made {
  const type = typeOf(query)
  const read = (slice: Slice, args: Arguments, context: GraphQLContext) =>
    context.services.slice(query, context, inputOf(query, args), slice)
  const count = (args: Arguments, context: GraphQLContext) =>
    context.services.count(query, context, inputOf(query, args))
  const page = pageOfRows<Arguments>(read, count)
  // A plan reads the rows of a list at the top level as texts; below an object, they need the object's id.
  const where = below
    ? {
        extensions: { pageSize: USUAL_PAGE, ...extensions },
        totalCount: (parent: unknown, args: Arguments, context: GraphQLContext) => count(given(parent, args), context),
        resolve: (slice: Slice, parent: unknown, args: Arguments, context: GraphQLContext) =>
          read(slice, given(parent, args), context),
      }
    : { extensions: { ...page.extensions, ...extensions } }
  const settings = { ...page, ...words, type, ...where }
  return t.prismaConnection(settings as never, connectionTypeOf(query.of, type)) as never
}

function recordConnection(
  t: QueryBuilder,
  query: ListQuery<Arguments>,
  { extensions, ...words }: Words,
  given: Given,
): Made {
  const { cursorOf } = query
  if (!cursorOf) throw new Error(`${query.name} has no cursor`)
  const type = typeOf(query)
  const settings = {
    ...words,
    type,
    extensions: { ...extensions, pageSize: USUAL_PAGE },
    async resolve(parent: unknown, args: Arguments, context: GraphQLContext) {
      const input = inputOf(query, given(parent, args))
      const found = await context.services.list(query, context, input, pageRequest(args, USUAL_PAGE))
      const totalCount = () => context.services.count(query, context, input)
      return { ...connectionOf(found, cursorOf, args.after as string | null | undefined), totalCount }
    },
  }
  return t.connection(settings as never, connectionTypeOf(query.of, type, query.count !== null)) as never
}

function wholeListField(t: QueryBuilder, query: WholeListQuery<Arguments>, words: Words, given: Given): Made {
  return t.field({
    ...words,
    type: [typeOf(query)],
    resolve: (parent: unknown, args: Arguments, context: GraphQLContext) =>
      context.services.all(query, context, inputOf(query, given(parent, args))),
  } as never) as never
}

/** Reads that are about more than the account, or need more than its id. */
const ABOUT_MORE = [
  'account',
  'regions',
  'solutions',
  'app',
  'tokens',
  'member',
  'appEnvToken',
  'search',
  'hostDns',
  'logsDownload',
  'gitBranches',
  'gitRepositories',
]

/** Reads of what belongs to an object are its fields too, but for those that it has by hand. */
function fieldsBelow(t: QueryBuilder, argument: string, omitted: readonly string[], byHand: readonly string[]) {
  const below = QUERIES.filter(({ inGraphQL, input, kind }) => {
    const isOther = inGraphQL === null || kind === 'rest' || [...byHand, ...ABOUT_MORE].includes(inGraphQL)
    return !isOther && argument in input.shape
  })
  return Object.fromEntries(below.map((query) => [query.inGraphQL, fieldOf(t, query, { argument, omitted })]))
}

builder.prismaObjectFields(
  AppEnv,
  (t) =>
    fieldsBelow(t as never, 'appEnvId', ['appEnvId', 'envName', 'accountId'], ['deployments', 'operations']) as never,
)
builder.prismaObjectFields(App, (t) => fieldsBelow(t as never, 'appId', ['appId', 'accountId'], ['appEnvs']) as never)
builder.prismaObjectFields(
  Account,
  (t) =>
    fieldsBelow(t as never, 'accountId', ['accountId', 'appEnvId', 'envName'], ['apps', 'appEnvs', 'members']) as never,
)

function findByNode(query: Query<Arguments>): void {
  const { key, isRecord, of } = query
  if (!key) return
  const record = isRecord ? recordType(of, [Node]) : null
  findableById(key.prefix, {
    typeName: of.name,
    type: () => (record ?? rowTypeOf(of)) as never,
    load: (context, id, wantedOf) =>
      context.services.find(query, context, { [key.field]: id }, isRecord ? {} : wantedOf()),
  })
}
