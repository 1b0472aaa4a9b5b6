import { z } from 'zod'
import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { appEnvTarget, id } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findByKey, findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Operation } from '../../storage/database/generated/prisma/client.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { operation as operationNoun } from './operation-fields.ts'

/**
 * One operation. It outlives its environment: the caller who deleted it follows the deletion by the operation's id,
 * and a caller who waited for a deployment learns that it was cancelled.
 */
export async function findOperation(
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
const operations = collection({
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

export const getOperation = query({
  name: 'getOperation',
  path: '/operation',
  permission: 'operation:read',
  about: 'An operation: what was asked, its progress, and why it failed if it did.',
  input: { operationId: id('operation') },
  key: { field: 'operationId', prefix: 'op' },
  of: operationNoun,
  version: true,
  find: ({ database, caller }, { operationId }, wanted) => findOperation(database, caller, operationId, wanted),
})

export const listOperations = listQuery({
  name: 'listOperations',
  path: '/operations',
  permission: 'operation:read',
  about: 'The operations of an environment, newest first.',
  example: { request: { limit: 20 } },
  input: {
    ...appEnvTarget,
    isDeadLetter: z
      .boolean()
      .optional()
      .describe('Whether to list only operations that used up every attempt, or only the others.'),
  },
  of: operationNoun,
  from: operations,
})
