import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict } from '../../domain/errors.ts'
import type { OperationKind } from '../../storage/database/generated/prisma/client.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { type LifecycleResult, withOutcome } from '../lifecycle/lifecycle-operation.ts'
import { repeatedContent } from '../lifecycle/new-content.ts'
import { acceptedExample, lifecycleAnswer } from '../targets/accepted.ts'
import { loadEverything } from '../targets/load-app-env.ts'
import { lockOperation } from './cancel-operation.ts'

/** Operations about a version that was deployed before, and stays the same one. */
const RUNS_AGAIN: ReadonlySet<OperationKind> = new Set<OperationKind>(['START', 'RESTART'])

export const retryOperation = command({
  name: 'retryOperation',
  rest: { method: 'POST', path: '/operation/retry', answer: lifecycleAnswer },
  versioned: true,
  waits: true,
  about: 'Drive a failed operation again, as a new one with the same intent. For dead letters, once the cause is gone.',
  example: { answer: acceptedExample('The operation is tried again') },
  input: z.strictObject({ operationId: id('failed operation') }),
  permission: 'appEnv:operate',
  refresh: withOutcome,
  target: ({ tx }, { operationId }) => lockOperation(tx, operationId),
  async execute(context, _input, { operation, appEnv: { id: appEnvId } }): Promise<LifecycleResult> {
    const { tx } = context
    if (operation.status !== 'FAILED')
      throw conflict('NOT_FAILED', `Only a failed operation can be retried; this one is ${operation.status}`)
    if (operation.backupId)
      throw conflict(
        'NOT_RETRYABLE',
        'Backups are taken, restored and verified by calls of their own: repeat that call',
      )
    const newer = await tx.operation.findFirst({ where: { appEnvId, createdAt: { gt: operation.createdAt } } })
    if (newer)
      throw conflict('NEWER_OPERATION', `A newer operation (${newer.id}) has been asked of the environment since`)
    const appEnv = await loadEverything(tx, appEnvId)
    const content = operation.contentId
      ? await tx.content.findUniqueOrThrow({ where: { id: operation.contentId } })
      : null
    const isNewVersion = !RUNS_AGAIN.has(operation.kind) && content !== null
    const begun = await beginOperation(context, appEnv, {
      kind: operation.kind,
      retriesId: operation.id,
      ...(isNewVersion
        ? { content: repeatedContent(content, recordedConfiguration(content)) }
        : { contentId: operation.contentId ?? undefined }),
    })
    await tx.operation.update({ where: { id: operation.id }, data: { isDeadLetter: false, version: { increment: 1 } } })
    return {
      success: true,
      message: 'The operation is tried again',
      appEnv: { appEnvId, name: appEnv.name, status: 'UPDATING' },
      operationId: begun.id,
    }
  },
})
