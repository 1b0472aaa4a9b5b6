import type { Config } from '../../config/config.ts'
import { type Attempt, pauseAfter } from '../../domain/webhook.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { record } from '../../storage/events/record.ts'
import type { Receiver, Waiting } from './delivery.ts'
import { fencedWebhook, type WebhookLease } from './webhook-lease.ts'

/** Attempts of a delivery that are kept: redelivered by hand, it may have any number. */
const MAX_ATTEMPTS = 100

interface Recording {
  database: Database
  config: Config
  lease: WebhookLease
  receiver: Receiver
}

/** Records the outcome of an attempt. A failure may switch the webhook off; false then. */
export async function recordAttempt(recording: Recording, delivery: Waiting, attempt: Attempt): Promise<boolean> {
  const { database, config, lease, receiver } = recording
  const { webhook } = receiver
  return fencedWebhook(database, lease, async (tx) => {
    await writeDelivery(tx, config, delivery, attempt)
    if (attempt.delivered) {
      await tx.$executeRaw`
        UPDATE webhook SET failing_since = NULL WHERE id = ${webhook.id} AND failing_since IS NOT NULL`
      return true
    }
    if (delivery.isTest) return true
    const [failing] = await tx.$queryRaw<{ isOverdue: boolean }[]>`
      UPDATE webhook SET failing_since = coalesce(failing_since, now()) WHERE id = ${webhook.id}
      RETURNING failing_since < now() - make_interval(days => ${config.BERTH_WEBHOOK_FAILING_DAYS}) AS "isOverdue"`
    if (!attempt.isGone && !failing?.isOverdue) return true
    await switchOff(tx, receiver, attempt.isGone ? 'GONE' : 'FAILING')
    return false
  })
}

async function writeDelivery(tx: Transaction, config: Config, { id, ...delivery }: Waiting, attempt: Attempt) {
  const { durationMs, answerStatus, answer, error } = attempt
  const failures = attempt.delivered ? 0 : delivery.failures + 1
  const isLast = attempt.delivered || delivery.isTest
  const pause = isLast ? null : pauseAfter(failures, limitsOf(config), attempt.retryAfterSeconds)
  const ended = attempt.delivered ? 'DELIVERED' : 'FAILED'
  const [made] = await tx.$queryRaw<{ number: number }[]>`
    UPDATE webhook_delivery SET attempts = attempts + 1, failures = ${failures}, last_attempt_at = now(),
      duration_ms = ${durationMs}, answer_status = ${answerStatus}, answer = ${answer}, error = ${error},
      status = (CASE WHEN ${pause === null} THEN ${ended} ELSE 'PENDING' END)::"WebhookDeliveryStatus",
      ended_at = CASE WHEN ${pause === null} THEN now() END,
      due_at = now() + make_interval(secs => ${pause ?? 0}::float8)
    WHERE id = ${id} RETURNING attempts AS number`
  if (!made) return
  const { number } = made
  await tx.webhookAttempt.create({
    data: { deliveryId: id, number, delivered: attempt.delivered, durationMs, answerStatus, error },
  })
  await tx.webhookAttempt.deleteMany({ where: { deliveryId: id, number: { lte: number - MAX_ATTEMPTS } } })
}

const limitsOf = (config: Config) => ({
  attempts: config.BERTH_WEBHOOK_ATTEMPTS,
  pauses: { first: config.BERTH_WEBHOOK_RETRY_SECONDS, max: config.BERTH_WEBHOOK_LONGEST_RETRY_SECONDS },
})

/** Waiting deliveries stay, and are sent when the webhook is enabled again. */
async function switchOff(tx: Transaction, { webhook }: Receiver, reason: 'GONE' | 'FAILING'): Promise<void> {
  const { id: webhookId, accountId, kind, name } = webhook
  // Another queue may have switched it off in the same round.
  const { count } = await tx.webhook.updateMany({
    where: { id: webhookId, isEnabled: true },
    data: { isEnabled: false, disabledReason: reason, version: { increment: 1 } },
  })
  if (count > 0) await record(tx, accountId, [{ type: 'webhook.disabled', payload: { webhookId, kind, name, reason } }])
}

/** Ends a delivery without an attempt: its event has expired. */
export const giveUp = ({ database, lease }: Recording, { id }: Waiting): Promise<number> =>
  fencedWebhook(
    database,
    lease,
    (tx) => tx.$executeRaw`
      UPDATE webhook_delivery SET status = 'FAILED', ended_at = now(), error = 'The event is no longer kept'
      WHERE id = ${id}`,
  )

/** Deletes ended deliveries beyond those that are kept, a number of them at a time. */
export const deleteOldDeliveries = ({ database, config, lease }: Omit<Recording, 'receiver'>): Promise<number> =>
  fencedWebhook(
    database,
    lease,
    (tx) => tx.$executeRaw`
      DELETE FROM webhook_delivery WHERE id IN (
        SELECT id FROM webhook_delivery WHERE webhook_id = ${lease.webhookId} AND status <> 'PENDING'
        ORDER BY id DESC OFFSET ${config.BERTH_WEBHOOK_DELIVERIES} LIMIT 1000)`,
  )
