import type { Transaction } from '../../database/client.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'

/** The environment's operation in flight, of which there is at most one. */
export const openOperationOf = (tx: Transaction, appEnv: { id: string }) =>
  tx.operation.findFirst({ where: { appEnvId: appEnv.id, status: { in: [...OPEN_STATUSES] } } })
