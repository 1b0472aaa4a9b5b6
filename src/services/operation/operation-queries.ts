import type { Database } from '../../database/client.ts'
import type { Operation } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { findByKey, findRow, type Wanted, withColumns } from '../kernel/read.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'

/**
 * One operation. It outlives its environment: whoever deleted that follows the deletion by the operation's id,
 * and whoever waited for a deployment learns that it was cancelled.
 */
export async function getOperation(
  database: Database,
  caller: Caller,
  operationId: string,
  wanted: Wanted = {},
): Promise<Operation> {
  const query = { ...withColumns(wanted, 'accountId', 'appEnvId'), where: { id: operationId } }
  const operation = await findByKey(database, 'Operation', query)
  if (!operation) throw notFound('operation', operationId)
  const { accountId, appEnvId } = operation
  permit(caller, 'operation:read', { accountId, appEnvId })
  return operation
}

export interface OperationFilter extends AppEnvAddress {
  isDeadLetter?: boolean | undefined
}

/** Operations of one environment. With that, their list is gone from every answer (contract §7). */
export const operations = collection({
  model: 'Operation',
  orderBy: ORDER.operation,
  async scope(database, caller, { isDeadLetter, ...address }: OperationFilter) {
    const where = addressOf(address)
    const select = { id: true, accountId: true }
    const appEnv = await findRow(database, 'AppEnv', { where: { ...where, deletedAt: null }, select })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'operation:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnvId: appEnv.id, ...(isDeadLetter === undefined ? {} : { isDeadLetter }) }
  },
})
