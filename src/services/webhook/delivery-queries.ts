import type { z } from 'zod'
import type { Database } from '../../database/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { webhookAttempt } from '../../resources/webhook-attempt.ts'
import { webhookDelivery, type webhookDeliveryStatus } from '../../resources/webhook-delivery.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import type { PageRequest } from '../kernel/page.ts'
import { findByKey } from '../kernel/read.ts'

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

export async function listWebhookDeliveries(
  database: Database,
  caller: Caller,
  filter: DeliveryFilter,
  request: PageRequest,
) {
  const { rows, nextCursor } = await deliveries.list(database, caller, filter, request, wanted)
  return { rows: rows.map((row) => deliveryRecord.record(row)), nextCursor }
}

export async function getWebhookDelivery(database: Database, caller: Caller, deliveryId: string) {
  const row = await findByKey(database, 'WebhookDelivery', { ...wanted, where: { id: deliveryId } })
  if (!row) throw notFound('delivery', deliveryId)
  await permitDeliveriesOf(database, caller, row.webhookId)
  return deliveryRecord.record(row)
}

/** What came of each attempt of a delivery, newest first: all that are kept. */
export async function listWebhookAttempts(database: Database, caller: Caller, deliveryId: string) {
  await getWebhookDelivery(database, caller, deliveryId)
  const rows = await database.webhookAttempt.findMany({ where: { deliveryId }, orderBy: { number: 'desc' } })
  return rows.map((row) => webhookAttempt.answer.record(row))
}
