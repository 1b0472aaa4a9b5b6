import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { whether } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery } from '../../calls/query.ts'
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
  filters: {
    isEnabled: whether('isEnabled', 'Whether to list only webhooks that are switched on, or only the others.'),
  },
  async scope(database, caller, { accountId }: WebhookFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'webhook:manage', { accountId: owner })
    return { accountId: owner }
  },
})

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

export const listWebhooks = collectedQuery({
  name: 'listWebhooks',
  path: '/account/webhooks',
  permission: 'webhook:manage',
  about: 'The webhooks of an account; of your current account when accountId is omitted.',
  input: { accountId: id('account').optional() },
  of: webhook,
  from: webhooks,
  wanted,
  records: (rows) => rows.map((row) => webhookRecord.record(row)),
  cursorOf: ({ webhookId }) => webhookId,
})
