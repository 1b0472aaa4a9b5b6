import { newId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/storage/database/client.ts'

/** A delivery of the account's last event, as a worker leaves it; there is no worker in tests of the APIs. */
export async function endedDelivery(database: Database, webhookId: string): Promise<string> {
  const { accountId } = await database.webhook.findUniqueOrThrow({ where: { id: webhookId } })
  const event = await database.event.findFirstOrThrow({
    where: { eventSequenceId: accountId },
    orderBy: { sequence: 'desc' },
  })
  const { sequence, type: eventType, appEnvId } = event
  const now = new Date()
  const { id } = await database.webhookDelivery.create({
    data: {
      id: newId('dlv'),
      webhookId,
      sequence,
      eventType,
      appEnvId,
      queue: appEnvId ?? 'account',
      status: 'FAILED',
      attempts: 2,
      failures: 2,
      lastAttemptAt: now,
      endedAt: now,
      durationMs: 12,
      answerStatus: 503,
      answer: 'not now',
      error: 'Answered 503',
    },
  })
  const attempt = { deliveryId: id, delivered: false, durationMs: 12, answerStatus: 503, error: 'Answered 503' }
  await database.webhookAttempt.createMany({ data: [1, 2].map((number) => ({ ...attempt, number })) })
  return id
}
