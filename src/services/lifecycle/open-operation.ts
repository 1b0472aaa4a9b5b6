import type { AppEnvStatus } from '../../domain/app-env.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'

/** The environment's open operation, of which there is at most one. */
export const openOperationOf = (tx: Transaction, appEnv: { id: string }) =>
  tx.operation.findFirst({ where: { appEnvId: appEnv.id, status: { in: [...OPEN_STATUSES] } } })

/** Whether it is stopped or stopping: only a call that asks for a start may bring it up again. */
export async function isStopped(tx: Transaction, appEnv: { id: string; status: AppEnvStatus }): Promise<boolean> {
  if (appEnv.status !== 'UPDATING') return appEnv.status === 'STOPPED'
  return (await openOperationOf(tx, appEnv))?.kind === 'STOP'
}
