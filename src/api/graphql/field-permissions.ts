import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { Permission } from '../../domain/permissions.ts'

/** What the services ask the caller of a field for: what it finds decides, where an id may be of anything. */
export type FieldPermission = Permission | 'of what it finds'

/** Those that the catalogue of reads does not declare: each is written by hand, because REST has no field like it. */
const QUERIES: Readonly<Record<string, FieldPermission>> = {
  node: 'of what it finds',
  nodes: 'of what it finds',
  requestCost: 'of what it finds',
  // appEnv:observe is enough to find one environment; each field beyond its state needs appEnv:read.
  appEnv: 'appEnv:observe',
  auditLog: 'audit:read',
  logs: 'appEnv:observe',
  members: 'account:read',
  metricsSeries: 'appEnv:observe',
  metricSeriesList: 'appEnv:observe',
  usage: 'account:read',
  usageLines: 'account:read',
}

const SUBSCRIPTIONS: Readonly<Record<string, FieldPermission>> = {
  accountEvents: 'account:read',
  installationChanged: 'app:read',
  appEnvStatusChanged: 'appEnv:observe',
  appEnvLogs: 'appEnv:observe',
  buildLogs: 'appEnv:observe',
  metrics: 'appEnv:observe',
  operationProgress: 'operation:read',
  jobRunChanged: 'jobRun:read',
}

type AnyField = GraphQLField<unknown, unknown>

/** Mutations have that of their command. */
export const permissionOf = ({ extensions }: Pick<AnyField, 'extensions'>): FieldPermission | undefined =>
  extensions.permission as FieldPermission | undefined

/** Every field that a caller begins with, with its permission. Throws for one without, and for an entry without one. */
export function declarePermissions(schema: GraphQLSchema): GraphQLSchema {
  const tables: readonly [GraphQLObjectType | null | undefined, Readonly<Record<string, FieldPermission>>][] = [
    [schema.getQueryType(), QUERIES],
    [schema.getSubscriptionType(), SUBSCRIPTIONS],
    [schema.getMutationType(), {}],
  ]
  for (const [type, table] of tables) {
    const fields = type?.getFields() ?? {}
    for (const field of Object.values(fields)) {
      const permission = permissionOf(field) ?? table[field.name]
      if (!permission) throw new Error(`${type}.${field.name} has no permission: name it in field-permissions.ts`)
      field.extensions = { ...field.extensions, permission }
    }
    const unknown = Object.keys(table).filter((name) => !(name in fields))
    if (unknown.length > 0) throw new Error(`${type} has no field ${unknown.join(', ')}`)
  }
  return schema
}
