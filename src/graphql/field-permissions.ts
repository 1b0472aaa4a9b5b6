import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { Permission } from '../domain/permissions.ts'

/** What the services ask the caller of a field for: what it finds decides, where an id may be of anything. */
export type FieldPermission = Permission | 'of what it finds'

const QUERIES: Readonly<Record<string, FieldPermission>> = {
  node: 'of what it finds',
  ...{ me: 'user:read', userToken: 'user:read', accounts: 'user:read' },
  ...{ regions: 'catalogue:read', solutions: 'catalogue:read', databasePresets: 'catalogue:read' },
  ...{ plans: 'catalogue:read', regionEngines: 'installation:manage' },
  ...{ account: 'account:read', member: 'account:read', members: 'account:read' },
  ...{ credential: 'account:read', credentials: 'account:read', credentialUsages: 'account:read' },
  ...{ usage: 'account:read', usageLines: 'account:read', statements: 'account:read', budget: 'account:read' },
  ...{ invitation: 'member:manage', invitations: 'member:manage', auditLog: 'audit:read' },
  ...{ webhook: 'webhook:manage', webhooks: 'webhook:manage' },
  ...{ webhookDelivery: 'webhook:manage', webhookDeliveries: 'webhook:manage' },
  webhookAttempts: 'webhook:manage',
  ...{ gitHook: 'gitHook:manage', gitHooks: 'gitHook:manage' },
  ...{ gitDelivery: 'gitHook:manage', gitDeliveries: 'gitHook:manage', autoDeploy: 'appEnv:read' },
  buildCache: 'appEnv:read',
  pullRequestEnvs: 'app:read',
  ...{ token: 'token:own', tokens: 'token:own', authorization: 'token:own', authorizations: 'token:own' },
  ...{ app: 'app:read', apps: 'app:read', installation: 'app:read', installations: 'app:read' },
  // One environment is found by whoever watches it; each field beyond its state asks for appEnv:read.
  ...{ appEnv: 'appEnv:observe', appEnvs: 'appEnv:read', volumes: 'appEnv:read', appEnvToken: 'appEnv:operate' },
  ...{ deployment: 'appEnv:observe', deployments: 'appEnv:observe', logs: 'appEnv:observe' },
  ...{ metrics: 'appEnv:observe', metricsSeries: 'appEnv:observe', pods: 'appEnv:observe' },
  ...{ operation: 'operation:read', operations: 'operation:read' },
  ...{ jobRun: 'jobRun:read', jobRuns: 'jobRun:read', jobSchedule: 'jobRun:read', backups: 'backup:read' },
}

const SUBSCRIPTIONS: Readonly<Record<string, FieldPermission>> = {
  ...{ accountEvents: 'account:read', installationChanged: 'app:read' },
  ...{ appEnvStatusChanged: 'appEnv:observe', appEnvLogs: 'appEnv:observe', buildLogs: 'appEnv:observe' },
  ...{ metrics: 'appEnv:observe', operationProgress: 'operation:read', jobRunChanged: 'jobRun:read' },
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
