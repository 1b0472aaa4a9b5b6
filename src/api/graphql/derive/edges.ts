import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Field, Fields } from '../../../calls/field.ts'
import { DomainError, notFound } from '../../../domain/errors.ts'
import { type IdPrefix, prefixOf } from '../../../domain/ids.ts'
import type { GraphQLContext } from '../context.ts'

/** `queryOf` returns the selection of a row; only things that are rows have one. */
type Load = (context: GraphQLContext, id: string, queryOf: () => object) => Promise<object>

interface Kind {
  typeName: string
  /** Throws until the type is declared: call it when the schema is built. */
  type: () => never
  load: Load
}

/** Users, as all see them who see what names them. */
export const ACTOR = 'actor'

type KindName = IdPrefix | typeof ACTOR

const kinds = new Map<KindName, Kind>()

/** Says how what has ids of this prefix is found, or users whom things name. `load` checks that the caller may see it. */
export function findableById(name: KindName, kind: Kind): void {
  kinds.set(name, kind)
}

/** An object of any type, by its id. */
export async function findById(context: GraphQLContext, info: GraphQLResolveInfo, id: string) {
  const prefix = prefixOf(id)
  const kind = prefix && kinds.get(prefix)
  if (!kind) throw notFound('object', id)
  return load(kind, context, info, id)
}

async function load(kind: Kind, context: GraphQLContext, info: GraphQLResolveInfo, id: string) {
  const queryOf = () => queryFromInfo({ context, info, typeName: kind.typeName })
  return { ...(await kind.load(context, id, queryOf)), id, __typename: kind.typeName }
}

/** Null for what is gone or hidden from the caller. */
export function nullWhenHidden(error: unknown): null {
  if (error instanceof DomainError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return null
  throw error
}

interface Edge {
  name: string
  to: KindName
  about: string
}

const GONE = 'null when there is none, or when it is gone or hidden from you'

/** Fields that are the id of another thing: what leads there is called like the thing. */
const EDGES: Readonly<Record<string, Edge>> = {
  accountId: { name: 'account', to: 'acc', about: 'Account that accountId names' },
  appEnvId: { name: 'appEnv', to: 'env', about: 'Environment that appEnvId names' },
  baseAppEnvId: { name: 'baseAppEnv', to: 'env', about: 'Environment that baseAppEnvId names' },
  appId: { name: 'app', to: 'app', about: 'App that appId names' },
  contentId: { name: 'deployment', to: 'con', about: 'Version that contentId names' },
  fromContentId: { name: 'fromDeployment', to: 'con', about: 'Version that fromContentId names' },
  operationId: { name: 'operation', to: 'op', about: 'Operation that operationId names' },
  jobRunId: { name: 'jobRun', to: 'run', about: 'Job run that jobRunId names' },
  webhookId: { name: 'webhook', to: 'hook', about: 'Webhook that webhookId names' },
  gitHookId: { name: 'gitHook', to: 'ghook', about: 'Git hook that gitHookId names' },
  tokenId: { name: 'token', to: 'tok', about: 'Token that tokenId names' },
  requestedBy: { name: 'requester', to: ACTOR, about: 'User who requested it' },
  userId: { name: 'user', to: ACTOR, about: 'User whom userId names' },
}

interface FieldBuilder {
  field(options: object): unknown
}

/** Fields that lead to the things whose ids a noun has. `source` finds the record in what is resolved. */
export function edgesOf(
  t: FieldBuilder,
  owner: string,
  fields: Fields,
  source: (resolved: never) => object = (record) => record,
): Record<string, unknown> {
  const edges = Object.entries(fields).flatMap(([field, declared]) => {
    const edge = Object.hasOwn(EDGES, field) ? EDGES[field] : undefined
    const isShown = edge && !declared.inGraphQL?.name && !(edge.name in fields)
    return isShown ? [[edge.name, edgeField(t, owner, { field, declared, edge, source })]] : []
  })
  return Object.fromEntries(edges)
}

interface Declared {
  field: string
  declared: Field
  edge: Edge
  source: (resolved: never) => object
}

function edgeField(t: FieldBuilder, owner: string, { field, declared, edge, source }: Declared): unknown {
  const kind = kinds.get(edge.to)
  if (!kind) throw new Error(`${owner}.${field} leads to what cannot be found by its id`)
  return t.field({
    type: kind.type(),
    nullable: true,
    description: `${edge.about}; ${GONE}.`,
    extensions: { declaredAs: `${owner}.${edge.name}` },
    ...(Object.keys(declared.select).length > 0 ? { select: declared.select } : {}),
    resolve(resolved: never, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) {
      const record = source(resolved) as Record<string, unknown>
      const id = declared.column === null ? record[field] : (record[declared.column] ?? record[field])
      return typeof id === 'string' ? load(kind, context, info, id).catch(nullWhenHidden) : null
    },
  })
}
