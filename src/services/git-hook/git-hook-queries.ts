import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { exampleId } from '../../calls/examples.ts'
import { oneOf, since, until, withId, withText } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { answer } from '../../calls/resource.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { gitDelivery, gitDeliveryOutcome } from './git-delivery-fields.ts'
import { gitHook } from './git-hook-fields.ts'

interface HookFilter {
  accountId?: string | undefined
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
  scope: async (database, caller, filter: HookFilter) => ({
    accountId: await permittedAccount(database, caller, filter),
  }),
})

async function findGitHook(database: Database, caller: Caller, gitHookId: string) {
  const row = await findByKey(database, 'GitHook', { select: gitHookRecord.select, where: { id: gitHookId } })
  if (!row) throw notFound('git hook', gitHookId)
  permit(caller, 'gitHook:manage', { accountId: row.accountId })
  return gitHookRecord.record(row)
}

const deliveries = collection({
  model: 'GitDelivery',
  filters: {
    gitHookId: withId('source', 'git hook that was used'),
    outcome: oneOf('outcome', gitDeliveryOutcome, 'Outcomes: only deliveries with one of these.'),
    repository: withText('repository', 'Repository, as owner/name: only deliveries of it.'),
    branch: withText('branch', 'Git branch: only deliveries of it.'),
    from: since('createdAt', 'Earliest time at which the deliveries came.'),
    to: until('createdAt', 'Latest time at which the deliveries came.'),
  },
  scope: async (database, caller, filter: HookFilter) => ({
    accountId: await permittedAccount(database, caller, filter),
  }),
})

async function findGitDelivery(database: Database, caller: Caller, gitDeliveryId: string) {
  const row = await findByKey(database, 'GitDelivery', { select: deliveryRecord.select, where: { id: gitDeliveryId } })
  if (!row) throw notFound('git delivery', gitDeliveryId)
  permit(caller, 'gitHook:manage', { accountId: row.accountId })
  return deliveryRecord.record(row)
}

export const getGitHook = recordQuery({
  name: 'getGitHook',
  path: '/account/git-hook',
  permission: 'gitHook:manage',
  about: 'A git hook, without its secret.',
  input: { gitHookId: id('git hook') },
  key: { field: 'gitHookId', prefix: 'ghook' },
  of: gitHook,
  version: true,
  find: ({ database, caller }, { gitHookId }) => findGitHook(database, caller, gitHookId),
})

export const listGitHooks = collectedQuery({
  name: 'listGitHooks',
  path: '/account/git-hooks',
  permission: 'gitHook:manage',
  about: 'The git hooks of an account; of your current account when accountId is omitted.',
  example: { request: { accountId: exampleId('acc') } },
  input: { accountId: id('account').optional() },
  of: gitHook,
  from: gitHooks,
  wanted: { select: gitHookRecord.select },
  records: (rows) => rows.map((row) => gitHookRecord.record(row)),
  cursorOf: ({ gitHookId }) => gitHookId,
})

export const getGitDelivery = recordQuery({
  name: 'getGitDelivery',
  path: '/account/git-hook/delivery',
  permission: 'gitHook:manage',
  about: 'A delivery of a git host, with its outcome.',
  input: { gitDeliveryId: id('git delivery') },
  key: { field: 'gitDeliveryId', prefix: 'gdlv' },
  of: gitDelivery,
  find: ({ database, caller }, { gitDeliveryId }) => findGitDelivery(database, caller, gitDeliveryId),
})

export const listGitDeliveries = collectedQuery({
  name: 'listGitDeliveries',
  path: '/account/git-hook/deliveries',
  permission: 'gitHook:manage',
  about: 'Deliveries of git hosts to an account, newest first; to your current account when accountId is omitted.',
  example: { request: { accountId: exampleId('acc'), limit: 20 } },
  input: { accountId: id('account').optional() },
  of: gitDelivery,
  from: deliveries,
  wanted: { select: deliveryRecord.select },
  records: (rows) => rows.map((row) => deliveryRecord.record(row)),
  cursorOf: ({ gitDeliveryId }) => gitDeliveryId,
})
