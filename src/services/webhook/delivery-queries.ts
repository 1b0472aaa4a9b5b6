import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { oneOf, since, until } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { collectedQuery, recordQuery, wholeListQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { webhookAttempt, webhookDelivery, webhookDeliveryStatus } from './webhook-delivery-fields.ts'

export const deliveryRecord = webhookDelivery.answer

const wanted = { select: deliveryRecord.select }

async function permitDeliveriesOf(database: Database, caller: Caller, webhookId: string): Promise<void> {
  const found = await findByKey(database, 'Webhook', { where: { id: webhookId }, select: { accountId: true } })
  if (!found) throw notFound('webhook', webhookId)
  permit(caller, 'webhook:manage', { accountId: found.accountId })
}

const deliveries = collection({
  model: 'WebhookDelivery',
  filters: {
    status: oneOf('status', webhookDeliveryStatus, 'Progress: only deliveries with one of these.'),
    from: since('createdAt', 'Earliest time of the deliveries.'),
    to: until('createdAt', 'Latest time of the deliveries.'),
  },
  async scope(database, caller, { webhookId }: { webhookId: string }) {
    await permitDeliveriesOf(database, caller, webhookId)
    return { webhookId }
  },
})

async function findDelivery(database: Database, caller: Caller, deliveryId: string) {
  const row = await findByKey(database, 'WebhookDelivery', { ...wanted, where: { id: deliveryId } })
  if (!row) throw notFound('delivery', deliveryId)
  await permitDeliveriesOf(database, caller, row.webhookId)
  return deliveryRecord.record(row)
}

/** The kept attempts of a delivery, newest first. */
async function findAttempts(database: Database, caller: Caller, deliveryId: string) {
  await findDelivery(database, caller, deliveryId)
  const rows = await database.webhookAttempt.findMany({ where: { deliveryId }, orderBy: { number: 'desc' } })
  return rows.map((row) => webhookAttempt.answer.record(row))
}

export const getWebhookDelivery = recordQuery({
  name: 'getWebhookDelivery',
  path: '/account/webhook/delivery',
  permission: 'webhook:manage',
  about: 'A delivery: how far it is, and what came of its last attempt.',
  input: { deliveryId: id('delivery') },
  key: { field: 'deliveryId', prefix: 'dlv' },
  of: webhookDelivery,
  find: ({ database, caller }, { deliveryId }) => findDelivery(database, caller, deliveryId),
})

export const listWebhookDeliveries = collectedQuery({
  name: 'listWebhookDeliveries',
  path: '/account/webhook/deliveries',
  permission: 'webhook:manage',
  about: 'The deliveries of a webhook, newest first.',
  input: { webhookId: id('webhook') },
  of: webhookDelivery,
  items: 'deliveries',
  from: deliveries,
  wanted,
  records: (rows) => rows.map((row) => deliveryRecord.record(row)),
  cursorOf: ({ deliveryId }) => deliveryId,
})

export const listWebhookAttempts = wholeListQuery({
  name: 'listWebhookAttempts',
  path: '/account/webhook/delivery/attempts',
  permission: 'webhook:manage',
  about: 'The attempts of a delivery, newest first: the newest 100.',
  input: { deliveryId: id('delivery') },
  of: webhookAttempt,
  isRecord: true,
  items: 'attempts',
  itemsAbout: 'Attempts, newest first.',
  all: ({ database, caller }, { deliveryId }) => findAttempts(database, caller, deliveryId),
})
