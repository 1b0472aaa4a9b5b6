import { z } from 'zod'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { operationRecord } from '../../services/operation/operation-queries.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read } from '../protocol/route.ts'
import { appEnvStatus } from './app-envs.ts'

const text = (about: string) => z.string().nullable().describe(about)

const step = z.object({
  name: z.string().describe('What was done.'),
  startedAt: z.iso.datetime().describe('When it began.'),
  finishedAt: z.iso.datetime().nullable().describe('When it ended; null while it goes on.'),
  detail: text('What is worth knowing about it.'),
})

const KINDS = ['DEPLOY_IMAGE', 'BUILD', 'REDEPLOY', 'ROLLBACK', 'STOP', 'START', 'APPLY_CHANGES', 'DELETE'] as const

const operation = z
  .object({
    operationId: z.string().describe('Id of the operation.'),
    appEnvId: z.string().describe('Environment it is about.'),
    accountId: z.string().describe('Account that owns the environment.'),
    kind: z.enum(KINDS).describe('What was asked for.'),
    status: z.enum(['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED']).describe('How far it came.'),
    reason: text('Why it failed, was cancelled or waits, as a code.'),
    message: text('The same, in words.'),
    contentId: text('The version it brings about, if it does.'),
    steps: z.array(step).describe('What was done, in order.'),
    attempt: z.int().describe('Attempts so far.'),
    maxAttempts: z.int().describe('Attempts before it is given up.'),
    isDeadLetter: z.boolean().describe('Every attempt was used up. POST /operation/retry tries it again.'),
    retriesId: text('The operation that this one tries again.'),
    deadlineAt: z.iso.datetime().describe('When it ends at the latest.'),
    requestId: z.string().describe('The request that asked for it.'),
    requestedBy: text('The user, or the environment token, that asked for it.'),
    createdAt: z.iso.datetime().describe('When it was asked for.'),
    startedAt: z.iso.datetime().nullable().describe('When a worker took it up.'),
    finishedAt: z.iso.datetime().nullable().describe('When it ended.'),
  })
  .meta({ id: 'Operation', description: 'The durable record of a lifecycle call.' })

/** §2.5, the shared shape. */
export const lifecycleAnswer = z
  .object({
    success: z.literal(true).describe('Operation accepted.'),
    message: z.string().describe('What was accepted, in words.'),
    appEnv: z.object({
      appEnvId: z.string().describe('Environment id.'),
      name: z.string().describe('Environment name.'),
      status: appEnvStatus,
    }),
  })
  .meta({ id: 'Lifecycle', description: 'An accepted lifecycle call.' })

/** §2.5: rollback only; between message and appEnv, as §4.1 lists them. */
export const rollbackAnswer = z
  .object({
    success: lifecycleAnswer.shape.success,
    message: lifecycleAnswer.shape.message,
    rollbackInfo: z.object({
      fromVersion: z.int().describe('The version that served.'),
      toVersion: z.int().describe('The version that is brought back.'),
      contentId: z.string().describe('Its id.'),
    }),
    appEnv: lifecycleAnswer.shape.appEnv,
  })
  .meta({ id: 'Rollback', description: 'An accepted rollback.' })

export const getOperation = read({
  name: 'getOperation',
  about: 'An operation: what was asked, how far it came, and why it failed if it did.',
  query: z.strictObject({ operationId: id('operation') }),
  answer: operation,
  isSingle: true,
  run: async ({ services, caller }, { operationId }) =>
    operationRecord(await services.operations.get(caller, operationId)),
})

export const listOperations = read({
  name: 'listOperations',
  about: 'The operations of an environment, newest first.',
  query: z.strictObject({
    ...appEnvTarget,
    isDeadLetter: z.boolean().optional().describe('Only those that used up every attempt, or only the others.'),
    ...paging,
  }),
  answer: listAnswer('operations', operation),
  async run({ services, caller }, { appEnvId, envName, isDeadLetter, ...slice }) {
    const operations = await services.operations.list(caller, { appEnvId, envName, isDeadLetter }, slice)
    return listOf('operations', operations, operationRecord)
  },
})
