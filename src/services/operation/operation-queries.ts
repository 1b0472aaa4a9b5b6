import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { oneOf, since, until, whether, withId } from '../../calls/filters.ts'
import { appEnvFilter, id } from '../../calls/input.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findByKey, findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Operation } from '../../storage/database/generated/prisma/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { operationKind, operation as operationNoun, operationStatus } from './operation-fields.ts'

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

interface OperationFilter extends AppEnvAddress {
  accountId?: string | undefined
}

/**
 * Operations of one environment, or of an account. With an environment, their list is gone from every answer
 * (contract §7); the account's has them still.
 */
const operations = collection({
  model: 'Operation',
  filters: {
    status: oneOf('status', operationStatus, 'Progress: only operations with one of these.'),
    kind: oneOf('kind', operationKind, 'Kinds: only operations of one of these.'),
    isDeadLetter: whether(
      'isDeadLetter',
      'Whether to list only operations that used up every attempt, or only the others.',
    ),
    requestedBy: withId('requestedBy', 'user who requested the operations'),
    from: since('createdAt', 'Earliest time of the operations.'),
    to: until('createdAt', 'Latest time of the operations.'),
  },
  async scope(database, caller, { accountId, appEnvId, envName }: OperationFilter) {
    if (appEnvId === undefined && envName === undefined) {
      const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
      permit(caller, 'operation:read', { accountId: account })
      const visible = visibleAppEnvIds(caller, account)
      return { accountId: account, ...(visible ? { appEnvId: { in: [...visible] } } : {}) }
    }
    const where = addressOf({ appEnvId, envName })
    const select = { id: true, accountId: true }
    const appEnv = await findRow(database, 'AppEnv', { where: { ...where, deletedAt: null }, select })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'operation:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnvId: appEnv.id }
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
  about: 'The operations of an environment, or of an account; of your current account when none is named.',
  example: { request: { limit: 20 } },
  input: { ...appEnvFilter, accountId: id('account').optional() },
  of: operationNoun,
  from: operations,
})
