import type { z } from 'zod'
import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { id } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import type { PageRequest } from '../../calls/page.ts'
import { recordListQuery, recordQuery, wholeListQuery } from '../../calls/query.ts'
import { findByKey } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { webhookAttempt, webhookDelivery, webhookDeliveryStatus } from './webhook-delivery-fields.ts'

interface DeliveryFilter {
  webhookId: string
  status?: z.output<typeof webhookDeliveryStatus.type> | undefined
}

export const deliveryRecord = webhookDelivery.answer

const wanted = { select: deliveryRecord.select }

async function permitDeliveriesOf(database: Database, caller: Caller, webhookId: string): Promise<void> {
  const found = await findByKey(database, 'Webhook', { where: { id: webhookId }, select: { accountId: true } })
  if (!found) throw notFound('webhook', webhookId)
  permit(caller, 'webhook:manage', { accountId: found.accountId })
}

const deliveries = collection({
  model: 'WebhookDelivery',
  orderBy: ORDER.webhookDelivery,
  async scope(database, caller, { webhookId, status }: DeliveryFilter) {
    await permitDeliveriesOf(database, caller, webhookId)
    return { webhookId, ...(status ? { status } : {}) }
  },
})

async function findDeliveries(database: Database, caller: Caller, filter: DeliveryFilter, request: PageRequest) {
  const { rows, nextCursor } = await deliveries.list(database, caller, filter, request, wanted)
  return { rows: rows.map((row) => deliveryRecord.record(row)), nextCursor }
}

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

export const listWebhookDeliveries = recordListQuery({
  name: 'listWebhookDeliveries',
  path: '/account/webhook/deliveries',
  permission: 'webhook:manage',
  about: 'The deliveries of a webhook, newest first.',
  input: {
    webhookId: id('webhook'),
    status: webhookDeliveryStatus.type.optional().describe('Progress: only deliveries with that status.'),
  },
  of: webhookDelivery,
  items: 'deliveries',
  list: ({ database, caller }, filter, page) => findDeliveries(database, caller, filter, page),
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
