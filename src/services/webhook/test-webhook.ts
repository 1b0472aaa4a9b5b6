import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { conflict } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Database } from '../../storage/database/client.ts'
import { lockWebhook } from './lock-webhook.ts'
import { observeDelivery, outcomeOfDelivery } from './redeliver.ts'
import { testedWebhookAnswer } from './webhook-delivery-fields.ts'

interface TestedWebhook extends Record<string, unknown> {
  webhookId: string
  deliveryId: string
  status: 'PENDING' | 'DELIVERED' | 'FAILED'
  durationMs: number | null
  answerStatus: number | null
  error: string | null
}

export const testWebhook = command({
  name: 'testWebhook',
  rest: { method: 'POST', path: '/account/webhook/test', answer: testedWebhookAnswer },
  versioned: true,
  waits: true,
  about:
    'Send a test event, `webhook.tested`, to one webhook, whatever types it has chosen. It is attempted once, without waiting for other deliveries. A call that waits returns its outcome.',
  input: z.strictObject({ webhookId: id('webhook') }),
  permission: 'webhook:manage',
  target: ({ tx }, { webhookId }) => lockWebhook(tx, webhookId),
  async execute({ announce, auditDetails, created }, { webhookId }, { webhook }): Promise<TestedWebhook> {
    const { kind, name, isEnabled, isFull } = webhook
    if (!isEnabled) throw conflict('WEBHOOK_DISABLED', `The webhook "${name}" is switched off: enable it first`)
    if (isFull)
      throw conflict(
        'WEBHOOK_FULL',
        `As many deliveries of the webhook "${name}" wait as may, so the test would wait behind them: have it tested once some have ended`,
      )
    // The worker makes the delivery of the event, and gives it this id.
    const deliveryId = newId('dlv')
    created(deliveryId)
    announce({ type: 'webhook.tested', payload: { webhookId, kind, name, deliveryId } })
    auditDetails({ kind, name })
    return { webhookId, deliveryId, status: 'PENDING', durationMs: null, answerStatus: null, error: null }
  },
  progress: {
    observe: observeDelivery,
    async answer(database: Database, result: TestedWebhook) {
      const found = await database.webhookDelivery.findUnique({ where: { id: result.deliveryId } })
      if (!found) return { ...result, operationStatus: 'RUNNING' as const }
      const { status, durationMs, answerStatus, error } = found
      return { ...result, status, durationMs, answerStatus, error, operationStatus: outcomeOfDelivery(status) }
    },
  },
})
