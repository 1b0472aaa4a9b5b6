import type { z } from 'zod'
import type { Database } from '../../database/client.ts'
import { notFound } from '../../domain/errors.ts'
import { gitDelivery, type gitDeliveryOutcome } from '../../resources/git-delivery.ts'
import { gitHook } from '../../resources/git-hook.ts'
import { ORDER } from '../../resources/order.ts'
import { answer } from '../../resources/resource.ts'
import { accountOrCurrent, type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import type { PageRequest } from '../kernel/page.ts'
import { findByKey } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'

interface HookFilter {
  accountId?: string | undefined
}

interface DeliveryFilter extends HookFilter {
  gitHookId?: string | undefined
  outcome?: z.output<typeof gitDeliveryOutcome.type> | undefined
}

/** What may be shown of a git hook, in both APIs: everything but its secret. */
export const gitHookRecord = answer({ ...gitHook.fields, ...gitHook.graphqlFields })
const deliveryRecord = gitDelivery.answer

async function permittedAccount(database: Database, caller: Caller, { accountId }: HookFilter): Promise<string> {
  const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'gitHook:manage', { accountId: owner })
  return owner
}

const gitHooks = collection({
  model: 'GitHook',
  orderBy: ORDER.gitHook,
  scope: async (database, caller, filter: HookFilter) => ({
    accountId: await permittedAccount(database, caller, filter),
  }),
})

export async function listGitHooks(database: Database, caller: Caller, filter: HookFilter, request: PageRequest) {
  const { rows, nextCursor } = await gitHooks.list(database, caller, filter, request, { select: gitHookRecord.select })
  return { rows: rows.map((row) => gitHookRecord.record(row)), nextCursor }
}

export async function getGitHook(database: Database, caller: Caller, gitHookId: string) {
  const row = await findByKey(database, 'GitHook', { select: gitHookRecord.select, where: { id: gitHookId } })
  if (!row) throw notFound('git hook', gitHookId)
  permit(caller, 'gitHook:manage', { accountId: row.accountId })
  return gitHookRecord.record(row)
}

const deliveries = collection({
  model: 'GitDelivery',
  orderBy: ORDER.gitDelivery,
  scope: async (database, caller, { gitHookId, outcome, ...filter }: DeliveryFilter) => ({
    accountId: await permittedAccount(database, caller, filter),
    ...(gitHookId ? { source: gitHookId } : {}),
    ...(outcome ? { outcome } : {}),
  }),
})

export async function listGitDeliveries(
  database: Database,
  caller: Caller,
  filter: DeliveryFilter,
  request: PageRequest,
) {
  const wanted = { select: deliveryRecord.select }
  const { rows, nextCursor } = await deliveries.list(database, caller, filter, request, wanted)
  return { rows: rows.map((row) => deliveryRecord.record(row)), nextCursor }
}

export async function getGitDelivery(database: Database, caller: Caller, gitDeliveryId: string) {
  const row = await findByKey(database, 'GitDelivery', { select: deliveryRecord.select, where: { id: gitDeliveryId } })
  if (!row) throw notFound('git delivery', gitDeliveryId)
  permit(caller, 'gitHook:manage', { accountId: row.accountId })
  return deliveryRecord.record(row)
}
