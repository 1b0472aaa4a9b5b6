import { z } from 'zod'
import { command, type Target } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { isOpen, statusAfter } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { AppEnv, Operation } from '../../storage/database/generated/prisma/client.ts'
import { notifyIngresses, notifyWorkers } from '../../storage/events/notifications.ts'
import { endOpenOperation } from '../lifecycle/begin-operation.ts'
import { lifecycleAnswer } from '../targets/accepted.ts'

type OperationTarget = Target & { operation: Operation; appEnv: AppEnv }

/** Locks the operation's environment, under whose lock operations begin and end. */
export async function lockOperation(tx: Transaction, operationId: string): Promise<OperationTarget> {
  await tx.$queryRaw`SELECT 1 FROM app_env WHERE id = (SELECT app_env_id FROM operation WHERE id = ${operationId}) FOR UPDATE`
  const found = await tx.operation.findUnique({ where: { id: operationId }, include: { appEnv: true } })
  if (!found) throw notFound('operation', operationId)
  const { appEnv, ...operation } = found
  const scope = { accountId: operation.accountId, appEnvId: operation.appEnvId }
  return { type: 'operation', id: operation.id, version: operation.version, ...scope, operation, appEnv }
}

export const cancelOperation = command({
  name: 'cancelOperation',
  rest: { method: 'POST', path: '/operation/cancel', answer: lifecycleAnswer },
  versioned: true,
  about: 'Cancel an operation that has not ended. The operation ends at once, and what ran before keeps running.',
  example: { answer: { message: 'The operation is cancelled' } },
  input: z.strictObject({ operationId: id('operation') }),
  permission: 'appEnv:operate',
  target: ({ tx }, { operationId }) => lockOperation(tx, operationId),
  async execute(context, _input, { operation, appEnv }) {
    const { tx, announce } = context
    if (!isOpen(operation.status)) {
      throw conflict('OPERATION_ENDED', `The operation has ended already: ${operation.status}`)
    }
    if (operation.kind === 'DELETE')
      throw conflict('NOT_CANCELLABLE', 'A deletion cannot be cancelled: the environment is gone already')
    if (operation.kind === 'ROTATE_CREDENTIALS')
      throw conflict(
        'NOT_CANCELLABLE',
        'A rotation cannot be cancelled: the service may have its new passwords already',
      )
    await endOpenOperation(context, appEnv, 'CANCELLED_BY_USER', 'Cancelled on request')
    const status = statusAfter(operation.previousStatus, appEnv.currentContentId !== null)
    await tx.$executeRaw`UPDATE app_env SET status = ${status}::"AppEnvStatus", due_at = now(), version = version + 1 WHERE id = ${appEnv.id}`
    announce({
      type: 'appEnv.statusChanged',
      appId: appEnv.appId,
      appEnvId: appEnv.id,
      operationId: operation.id,
      payload: { status, previousStatus: appEnv.status },
    })
    await notifyWorkers(tx, appEnv.id)
    await notifyIngresses(tx)
    return {
      success: true,
      message: 'The operation is cancelled',
      appEnv: { appEnvId: appEnv.id, name: appEnv.name, status },
      operationId: operation.id,
    }
  },
})
