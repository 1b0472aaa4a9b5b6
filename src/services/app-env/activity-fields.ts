import { z } from 'zod'
import { type Field, fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { OperationStep } from '../../domain/operation.ts'
import type { Content, Operation } from '../../storage/database/generated/prisma/client.ts'
import {
  deployment,
  deploymentStatus,
  type RolledBack,
  requested,
  rollbackFields,
} from '../deployment/deployment-fields.ts'

/** A version that came into being, or an operation that scaled the one which served meanwhile. */
export interface Activity {
  content: Content & { appEnv: RolledBack }
  operation: Operation | null
}

const field = fieldsOf<Activity>()

/** What the activity's version says of itself. */
const ofVersion = <Type extends z.ZodType>({ type, value, description }: Field<Activity['content'], Type>) =>
  field.from({}, type, description, ({ content }: Activity, context) => value(content, context))

const shown = deployment.fields

/** Of a scaling, what decided it, or else what was done, is in the steps. */
function messageOf({ content, operation }: Activity): string | null {
  if (!operation) return content.message
  const steps = operation.steps as unknown as OperationStep[]
  const step = steps.find(({ name }) => name === 'decide') ?? steps.findLast(({ name }) => name === 'route')
  return operation.message ?? (step?.detail ? `Containers ${step.detail}` : null)
}

const canRollback = ofVersion(rollbackFields.canRollback)
const cannotRollbackReason = ofVersion(rollbackFields.cannotRollbackReason)
const NO_VERSION = 'It changed the number of containers, and made no version'

export const activity = resource({
  name: 'Activity',
  id: 'Activity',
  description: 'A version of an environment, or a change of the number of its containers.',
  examples: {
    status: 'DEPLOYED',
    message: null,
    canRollback: true,
    cannotRollbackReason: null,
  },
  fields: {
    contentId: ofVersion(shown.contentId),
    version: ofVersion(shown.version),
    gitCommitId: ofVersion(shown.gitCommitId),
    gitBranch: ofVersion(shown.gitBranch),
    gitCommit: ofVersion(shown.gitCommit),
    containerImage: ofVersion(shown.containerImage),
    kind: field.from(
      {},
      z.enum(['DEPLOYMENT', 'SCALING']),
      'Kind of activity: a version, or a change of the number of containers.',
      ({ operation }: Activity) => (operation ? 'SCALING' : 'DEPLOYMENT'),
    ),
    status: field.from(
      {},
      z.enum([...deploymentStatus.type.options, 'RUNNING', 'SUCCEEDED']),
      'Progress of the version, or of the operation that scaled.',
      ({ content, operation }: Activity) => (operation ?? content).status,
    ),
    timestamp: field.from(
      {},
      requested.at.type,
      'Time at which the activity was requested.',
      ({ content, operation }: Activity) => (operation ?? content).createdAt.toISOString(),
    ),
    userId: field.from(
      {},
      text.nullable(),
      'Id of the user or token that requested the activity.',
      ({ content, operation }: Activity) => (operation ?? content).requestedBy,
    ),
    message: field.from(
      {},
      text.nullable(),
      'Why the version failed or was cancelled; for a scaling, the numbers of containers and the reason.',
      messageOf,
    ),
    reason: field.from(
      {},
      text.nullable(),
      'Code for why the activity failed or was cancelled.',
      ({ content, operation }: Activity) => (operation ?? content).reason,
    ),
    canRollback: { ...canRollback, value: (row, context) => !row.operation && canRollback.value(row, context) },
    cannotRollbackReason: {
      ...cannotRollbackReason,
      value: (row, context) => (row.operation ? NO_VERSION : cannotRollbackReason.value(row, context)),
    },
  },
})

const paged = fieldsOf<{ limit: number; offset: number; total: number; hasMore: boolean }>()

const pagination = answer({
  limit: paged.given('limit', whole, 'Maximum number of items in the answer.'),
  offset: paged.given('offset', whole, 'Number of items that were skipped.'),
  total: paged.given('total', whole, 'Number of items in all.'),
  hasMore: paged.given('hasMore', flag, 'Whether more items follow.'),
})

interface History {
  appEnvId: string
  activities: z.output<typeof activity.answer.type>[]
  pagination: z.output<typeof pagination.type>
}

const history = fieldsOf<History>()

/** Contract §3, GET /app-env/history. */
export const historyAnswer = answer({
  appEnvId: history.given('appEnvId', text, 'Id of the environment.'),
  activities: history.given(
    'activities',
    z.array(activity.answer.type),
    'Activities of the environment, newest first.',
  ),
  pagination: history.given('pagination', pagination.type, 'Position of the answer among all activities.'),
})
