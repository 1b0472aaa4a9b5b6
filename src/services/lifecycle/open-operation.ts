import type { Transaction } from '../../database/client.ts'
import type { AppEnvStatus } from '../../domain/app-env.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'

/** The environment's operation in flight, of which there is at most one. */
export const openOperationOf = (tx: Transaction, appEnv: { id: string }) =>
  tx.operation.findFirst({ where: { appEnvId: appEnv.id, status: { in: [...OPEN_STATUSES] } } })

/** Whether it is stopped, or on its way down: what does not ask for a start must not bring it up again. */
export async function isStopped(tx: Transaction, appEnv: { id: string; status: AppEnvStatus }): Promise<boolean> {
  if (appEnv.status !== 'UPDATING') return appEnv.status === 'STOPPED'
  return (await openOperationOf(tx, appEnv))?.kind === 'STOP'
}
