import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { OperationStep } from '../../domain/operation.ts'
import type { Operation, OperationKind } from '../../storage/database/generated/prisma/client.ts'

export const operationKind = enumeration<OperationKind>('OperationKind', 'Kind of an operation.', {
  DEPLOY_IMAGE: 'Deploys a prebuilt image.',
  BUILD: 'Builds the source and deploys the result.',
  REDEPLOY: 'Replaces the containers with new ones of the same image, and of the present configuration.',
  RESTART: 'Replaces the containers with new ones of the version that serves, as it is.',
  PROMOTE: 'Deploys the image of a version of another environment.',
  ROLLBACK: 'Deploys an earlier version again.',
  STOP: 'Scales the environment to zero containers.',
  START: 'Runs the current version of a stopped environment again.',
  APPLY_CHANGES: 'Applies the pending changes of the environment.',
  ROTATE_CREDENTIALS: 'Gives a managed service new passwords.',
  BACKUP: 'Takes a backup of a managed service.',
  RESTORE: 'Replaces the data of a managed service by that of a backup.',
  VERIFY_BACKUP: 'Restores a backup into a throw-away container, and asks what is in it.',
  DELETE: 'Removes what a deleted environment ran.',
})

export const operationStatus = enumeration('OperationStatus', 'Progress of an operation.', {
  QUEUED: 'The operation waits for a worker.',
  RUNNING: 'A worker executes the operation.',
  SUCCEEDED: 'The operation ended and did what was asked.',
  FAILED: 'The operation ended without doing what was asked.',
  CANCELLED: 'The operation was cancelled or replaced by a newer one.',
})

const step = fieldsOf<OperationStep>()

export const operationStep = resource({
  name: 'OperationStep',
  description: 'A step that an operation has begun.',
  examples: {
    detail: 'nginx:alpine',
  },
  fields: {
    name: step.column('name', text, 'Name of the step.'),
    startedAt: step.column('startedAt', time, 'Time at which the step began.'),
    finishedAt: step.column('finishedAt', time.nullable(), 'Time at which the step ended; null until then.'),
    detail: step.column('detail', text.nullable(), 'Details of the step, for people.'),
  },
})

const field = fieldsOf<Operation>()

export const operation = resource({
  name: 'Operation',
  id: 'Operation',
  description: 'The durable record of a lifecycle call: what was asked, its progress and its outcome.',
  examples: {
    operationId: exampleId('op'),
    status: 'SUCCEEDED',
    message: null,
    attempt: 1,
    maxAttempts: 5,
    isDeadLetter: false,
    deadlineAt: '2026-11-20T09:45:00.000Z',
  },
  fields: {
    operationId: field.column('id', text, 'Id of the operation.', { inGraphQL: { name: 'id' } }),
    appEnvId: field.column('appEnvId', text, 'Id of the environment that the operation changes.'),
    accountId: field.column('accountId', text, 'Id of the account that owns the environment.', { only: 'rest' }),
    kind: field.column('kind', operationKind.type, 'Kind of the operation.'),
    status: field.column('status', operationStatus.type, 'Progress of the operation.'),
    reason: field.column(
      'reason',
      text.nullable(),
      'Code for why the operation failed, was cancelled or waits, or why a container ended soon after it.',
    ),
    message: field.column(
      'message',
      text.nullable(),
      'Why the operation failed, was cancelled or waits, or why a container ended soon after it.',
    ),
    contentId: field.column('contentId', text.nullable(), 'Id of the version that the operation deploys, if any.', {
      only: 'rest',
    }),
    steps: field.json('steps', z.array(operationStep.answer.type), 'Steps that the operation has begun, in order.'),
    attempt: field.column('attempt', whole, 'Number of attempts that failed.'),
    maxAttempts: field.column('maxAttempts', whole, 'Number of attempts after which the operation fails.'),
    isDeadLetter: field.column(
      'isDeadLetter',
      flag,
      'Whether every attempt was used up. `retryOperation` starts it again.',
    ),
    retriesId: field.column('retriesId', text.nullable(), 'Id of the operation that this one retries, if any.'),
    deadlineAt: field.column('deadlineAt', time, 'Time at which the operation fails if it has not ended.'),
    requestId: field.column('requestId', text, 'Id of the request that began the operation.', {
      inGraphQL: { type: 'String' },
    }),
    requestedBy: field.column(
      'requestedBy',
      text.nullable(),
      'Id of the user or environment token that requested the operation.',
    ),
    createdAt: field.column('createdAt', time, 'Time at which the operation was requested.'),
    startedAt: field.column('startedAt', time.nullable(), 'Time at which a worker started the operation.'),
    finishedAt: field.column('finishedAt', time.nullable(), 'Time at which the operation ended.'),
  },
  graphqlFields: {
    version: field.column('version', whole, VERSION),
  },
  relations: {
    appEnv: {
      description: 'Environment that the operation changes; null once the environment is deleted.',
      permission: 'appEnv:observe',
    },
    deployment: {
      description: 'Version that the operation deploys; null once the environment is deleted.',
      permission: 'appEnv:observe',
    },
  },
})
