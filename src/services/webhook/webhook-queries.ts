import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { id } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import type { PageRequest } from '../../calls/page.ts'
import { recordListQuery, recordQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { answer } from '../../calls/resource.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { webhook } from './webhook-fields.ts'

interface WebhookFilter {
  accountId?: string | undefined
}

/** What may be shown of a webhook, in both APIs: everything but its secrets. */
export const webhookRecord = answer({ ...webhook.fields, ...webhook.graphqlFields })

const wanted = { select: webhookRecord.select }

const webhooks = collection({
  model: 'Webhook',
  orderBy: ORDER.webhook,
  async scope(database, caller, { accountId }: WebhookFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'webhook:manage', { accountId: owner })
    return { accountId: owner }
  },
})

async function findWebhooks(database: Database, caller: Caller, filter: WebhookFilter, request: PageRequest) {
  const { rows, nextCursor } = await webhooks.list(database, caller, filter, request, wanted)
  return { rows: rows.map((row) => webhookRecord.record(row)), nextCursor }
}

async function findWebhook(database: Database, caller: Caller, webhookId: string) {
  const row = await findByKey(database, 'Webhook', { ...wanted, where: { id: webhookId } })
  if (!row) throw notFound('webhook', webhookId)
  permit(caller, 'webhook:manage', { accountId: row.accountId })
  return webhookRecord.record(row)
}

export const getWebhook = recordQuery({
  name: 'getWebhook',
  path: '/account/webhook',
  permission: 'webhook:manage',
  about: 'A webhook, without its secrets.',
  input: { webhookId: id('webhook') },
  key: { field: 'webhookId', prefix: 'hook' },
  of: webhook,
  version: true,
  find: ({ database, caller }, { webhookId }) => findWebhook(database, caller, webhookId),
})

export const listWebhooks = recordListQuery({
  name: 'listWebhooks',
  path: '/account/webhooks',
  permission: 'webhook:manage',
  about: 'The webhooks of an account; of your current account when accountId is omitted.',
  input: { accountId: id('account').optional() },
  of: webhook,
  list: ({ database, caller }, filter, page) => findWebhooks(database, caller, filter, page),
  cursorOf: ({ webhookId }) => webhookId,
})
