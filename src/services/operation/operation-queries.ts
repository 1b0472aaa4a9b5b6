import type { Database } from '../../database/client.ts'
import type { Operation, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import type { OperationStep } from '../../domain/operation.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { NEWEST_FIRST, type Page, type PageRequest, page } from '../kernel/page.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'

/** How every list of operations is ordered, in both doors: what goes on now is what is asked for. */
export const OPERATIONS_ORDER = NEWEST_FIRST

/** An operation as REST shows it. Dead letters say so, and can be driven again. */
export const operationRecord = (operation: Operation) => ({
  operationId: operation.id,
  appEnvId: operation.appEnvId,
  accountId: operation.accountId,
  kind: operation.kind,
  status: operation.status,
  reason: operation.reason,
  message: operation.message,
  contentId: operation.contentId,
  steps: operation.steps as unknown as OperationStep[],
  attempt: operation.attempt,
  maxAttempts: operation.maxAttempts,
  isDeadLetter: operation.isDeadLetter,
  retriesId: operation.retriesId,
  deadlineAt: operation.deadlineAt.toISOString(),
  requestId: operation.requestId,
  requestedBy: operation.requestedBy,
  createdAt: operation.createdAt.toISOString(),
  startedAt: operation.startedAt?.toISOString() ?? null,
  finishedAt: operation.finishedAt?.toISOString() ?? null,
})

/**
 * One operation. It outlives its environment: whoever deleted that follows the deletion by the operation's id,
 * and whoever waited for a deployment learns that it was cancelled. `query` is what GraphQL loads along with it.
 */
export async function getOperation(
  database: Database,
  caller: Caller,
  operationId: string,
  query: object = {},
): Promise<Operation> {
  const operation = await database.operation.findUnique({ ...query, where: { id: operationId } })
  if (!operation) throw notFound('operation', operationId)
  const { accountId, appEnvId } =
    'accountId' in operation && 'appEnvId' in operation
      ? operation
      : await database.operation.findUniqueOrThrow({ where: { id: operationId } })
  permit(caller, 'operation:read', { accountId, appEnvId })
  return operation
}

/** Operations of one environment. With that, their list is gone from every answer (contract §7). */
export async function operationsScope(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
): Promise<Prisma.OperationWhereInput> {
  const where = addressOf(address)
  const appEnv = await database.appEnv.findFirst({ where: { ...where, deletedAt: null } })
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  permit(caller, 'operation:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
  return { appEnvId: appEnv.id }
}

export async function listOperations(
  database: Database,
  caller: Caller,
  filter: AppEnvAddress & { isDeadLetter?: boolean | undefined },
  request: PageRequest,
): Promise<Page<Operation>> {
  const scope = await operationsScope(database, caller, filter)
  const where = filter.isDeadLetter === undefined ? scope : { ...scope, isDeadLetter: filter.isDeadLetter }
  return page(
    request,
    ({ take, after, orderBy }) => database.operation.findMany({ where: { AND: [where, after] }, take, orderBy }),
    OPERATIONS_ORDER,
  )
}
