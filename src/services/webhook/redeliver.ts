import { z } from 'zod'
import { command, type Progress } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import type { RecordOf } from '../../calls/resource.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { WaitedStatus } from '../../domain/waited-operation.ts'
import type { Database } from '../../storage/database/client.ts'
import type { WebhookDeliveryStatus } from '../../storage/database/generated/prisma/client.ts'
import { deliveryRecord } from './delivery-queries.ts'
import { lockWebhook } from './lock-webhook.ts'
import { webhookDelivery } from './webhook-delivery-fields.ts'

/** A worker makes the delivery of a test when it takes its event. */
export async function observeDelivery(database: Database, { deliveryId }: { deliveryId: string }): Promise<Progress> {
  const found = await database.webhookDelivery.findUnique({ where: { id: deliveryId }, select: { status: true } })
  return { hasEnded: found !== null && found.status !== 'PENDING' }
}

const OUTCOMES = { PENDING: 'RUNNING', DELIVERED: 'SUCCEEDED', FAILED: 'FAILED' } as const satisfies Record<
  WebhookDeliveryStatus,
  WaitedStatus
>

export const outcomeOfDelivery = (status: WebhookDeliveryStatus): WaitedStatus => OUTCOMES[status]

type Delivery = RecordOf<typeof deliveryRecord>

export const redeliverWebhookDelivery = command({
  name: 'redeliverWebhookDelivery',
  rest: { method: 'POST', path: '/account/webhook/delivery/redeliver', answer: webhookDelivery.answer },
  waits: true,
  about:
    'Send the event of a delivery again, at once and with the same `webhook-id`. One that still waits is only hurried, in its order; one that had ended goes beside the others.',
  input: z.strictObject({ deliveryId: id('delivery') }),
  permission: 'webhook:manage',
  async target({ tx }, { deliveryId }) {
    const found = await tx.webhookDelivery.findUnique({ where: { id: deliveryId } })
    if (!found) throw notFound('delivery', deliveryId)
    const { accountId, webhook } = await lockWebhook(tx, found.webhookId)
    // Under the lock of the webhook, which a worker holds to write it.
    const delivery = await tx.webhookDelivery.findUnique({ where: { id: deliveryId } })
    if (!delivery) throw notFound('delivery', deliveryId)
    return { type: 'webhookDelivery' as const, id: deliveryId, accountId, webhook, delivery }
  },
  async execute({ tx, auditDetails }, { deliveryId }, { webhook, delivery }): Promise<Delivery> {
    if (!webhook.isEnabled)
      throw conflict('WEBHOOK_DISABLED', `The webhook "${webhook.name}" is switched off: enable it first`)
    const key = { eventSequenceId: webhook.accountId, sequence: delivery.sequence }
    const event = await tx.event.findUnique({ where: { eventSequenceId_sequence: key } })
    if (!event)
      throw conflict('EVENT_EXPIRED', 'The event of the delivery is no longer kept, so it cannot be sent again')
    const { webhookId, queue } = delivery
    if (delivery.status === 'PENDING')
      await tx.$executeRaw`
        UPDATE webhook_delivery SET due_at = now()
        WHERE webhook_id = ${webhookId} AND queue = ${queue} AND status = 'PENDING'`
    // A queue of its own: later events of the environment were sent already, and need not wait for this one.
    else
      await tx.$executeRaw`
        UPDATE webhook_delivery SET status = 'PENDING', queue = id, failures = 0, due_at = now(), ended_at = NULL
        WHERE id = ${deliveryId}`
    await tx.$executeRaw`UPDATE webhook SET due_at = now() WHERE id = ${webhookId}`
    auditDetails({ webhookId, eventType: delivery.eventType })
    return deliveryRecord.record(await tx.webhookDelivery.findUniqueOrThrow({ where: { id: deliveryId } }))
  },
  progress: {
    observe: (database: Database, result: Delivery) => observeDelivery(database, result),
    async answer(database: Database, result: Delivery) {
      const found = await database.webhookDelivery.findUnique({ where: { id: result.deliveryId } })
      // The webhook was deleted, and its deliveries with it.
      if (!found) return { ...result, operationStatus: 'CANCELLED' as const }
      return { ...deliveryRecord.record(found), operationStatus: outcomeOfDelivery(found.status) }
    },
  },
})
