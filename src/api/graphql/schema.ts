import { DirectiveLocation, GraphQLDirective, type GraphQLSchema, specifiedDirectives } from 'graphql'
import { OBSERVABLE_FIELDS } from '../../services/app-env/app-env-status-fields.ts'
import { builder } from './builder.ts'
import { guardFields } from './derive/guarded-fields.ts'
import { readLoadedColumns } from './derive/loaded-columns.ts'
import { withNullableRoots } from './derive/nullable-roots.ts'
import { declarePermissions } from './field-permissions.ts'
import './schema/enums.ts'
import './schema/node.ts'
import './schema/request-cost.ts'
import './schema/region.ts'
import './schema/plan.ts'
import './schema/host.ts'
import './schema/app-env-configuration.ts'
import './schema/member.ts'
import './schema/invitation.ts'
import './schema/user.ts'
import './schema/account.ts'
import './schema/app.ts'
import './schema/app-env.ts'
import './schema/deployment.ts'
import './schema/operation.ts'
import './schema/token.ts'
import './schema/backup.ts'
import './schema/job-run.ts'
import './schema/credential.ts'
import './schema/usage.ts'
import './schema/git-hook.ts'
import './schema/webhook.ts'
import './schema/audit-entry.ts'
import './schema/event.ts'
import './schema/lifecycle.ts'
import './schema/mutations.ts'
import './schema/volume.ts'
import './schema/app-env-status-changed.ts'
import './schema/account-events.ts'
import './schema/operation-progress.ts'
import './schema/job-run-changed.ts'
import './schema/solution.ts'
import './schema/installation-changed.ts'
import './schema/log-line.ts'
import './schema/build-log.ts'
import './schema/metric.ts'
import './schema/query-fields.ts'
import './schema/answer-mutations.ts'

builder.queryType({ description: 'Everything that can be read.' })
builder.mutationType({
  description: 'Everything that can be changed. Each mutation takes one `input`, and can be tried with `dryRun`.',
})
builder.subscriptionType({
  description:
    'Everything that can be followed, over WebSocket (graphql-transport-ws) or SSE. The first message is the present state.',
})

/** Marks mutations that take away something users rely on; tools ask before they call them (§4.1 rule 3). */
const dangerousDirective = new GraphQLDirective({
  name: 'dangerous',
  description: 'The mutation removes something that may be in use: ask before calling it.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
})

const DESCRIPTION = `Berth hosts applications: accounts own apps, an app has environments, and an environment serves versions.

Send your token in the header \`Authorization\`, alone or after \`Bearer\`. Start from \`me\`, \`accounts\` or \`appEnv(envName:)\`.
Every mutation takes one \`input\` with \`idempotencyKey\` and \`dryRun\`; those that begin an operation take \`waitSeconds\`.
Refusals have \`extensions.code\` and often a finer \`extensions.reason\`: \`/docs/errors\` lists them. Ids, codes and
permissions are those of the REST API.`

const directives = [...specifiedDirectives, dangerousDirective]

/** The whole schema. Importing this file builds it. */
export const schema: GraphQLSchema = guardFields(
  declarePermissions(readLoadedColumns(withNullableRoots(builder.toSchema({ directives })))),
  'AppEnv',
  { open: OBSERVABLE_FIELDS, permission: 'appEnv:read' },
)
// The builder has no option for it.
schema.description = DESCRIPTION
