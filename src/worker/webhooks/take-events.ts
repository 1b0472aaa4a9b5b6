import { newId } from '../../domain/ids.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Webhook } from '../../storage/database/generated/prisma/client.ts'
import type { RecordedEvent } from '../../storage/events/event.ts'
import { eventSequenceBounds, readPage } from '../../storage/events/event-log.ts'
import { NOTICE_TYPES } from '../../storage/events/notices.ts'
import { record } from '../../storage/events/record.ts'
import { isNews } from './delivery.ts'
import { fencedWebhook, type WebhookLease } from './webhook-lease.ts'

/** Deliveries of one webhook that wait at most: the events after them stay where they are. */
export const MAX_WAITING = 1_000

const ofTheAccount = 'account'

/** The caller of a test knows the id of its delivery already; it has a queue of its own, so it is sent at once. */
function placeOf({ type, appEnvId, payload }: RecordedEvent): { id: string; queue: string } {
  if (type !== 'webhook.tested') return { id: newId('dlv'), queue: appEnvId ?? ofTheAccount }
  const id = String(payload.deliveryId)
  return { id, queue: id }
}

/**
 * Makes deliveries of the next events that the webhook has not read. How far it has read is written with them, so that
 * no event becomes two deliveries, and none is skipped.
 */
export async function takeEvents(database: Database, lease: WebhookLease): Promise<void> {
  await fencedWebhook(database, lease, async (tx) => {
    const webhook = await tx.webhook.findUniqueOrThrow({ where: { id: lease.webhookId } })
    const waiting = await tx.webhookDelivery.count({ where: { webhookId: webhook.id, status: 'PENDING' } })
    if (waiting >= MAX_WAITING) return
    const from = await firstKept(tx, webhook)
    // A page has fewer events than may wait.
    const page = (await readPage(tx as Database, webhook.accountId, from)).slice(0, MAX_WAITING - waiting)
    const readSequence = page.at(-1)?.sequence ?? from
    if (readSequence === webhook.readSequence) return
    const wanted = await wantedOf(tx, webhook, page)
    await tx.webhookDelivery.createMany({
      data: wanted.map((event) => ({
        webhookId: webhook.id,
        sequence: event.sequence,
        eventType: event.type,
        appEnvId: event.appEnvId ?? null,
        ...placeOf(event),
      })),
    })
    // Raw, so that the version of the webhook stays: no user has changed it. It stays due until it is released: this
    // worker may die before.
    await tx.$executeRaw`
      UPDATE webhook SET read_sequence = ${readSequence}, due_at = least(due_at, now()) WHERE id = ${webhook.id}`
    if (from > webhook.readSequence) await announceSkipped(tx, webhook, from)
  })
}

/** Where to read on: later than where it stopped when the events after that have expired. */
async function firstKept(tx: Transaction, { accountId, readSequence }: Webhook): Promise<bigint> {
  const { expired } = await eventSequenceBounds(tx as Database, accountId)
  return expired > readSequence ? expired : readSequence
}

async function wantedOf(tx: Transaction, { id, kind, eventTypes }: Webhook, page: RecordedEvent[]) {
  const isProgram = kind === 'WEBHOOK'
  const all: readonly string[] | null = isProgram ? null : NOTICE_TYPES
  const types = eventTypes.length > 0 ? eventTypes : all
  const chosen = page.filter(({ type, payload }) =>
    type === 'webhook.tested' ? payload.webhookId === id : (types?.includes(type) ?? true),
  )
  if (isProgram) return chosen
  const news: RecordedEvent[] = []
  for (const event of chosen) if (await isNews(tx, event)) news.push(event)
  return news
}

/** It was off, or no worker ran, for longer than events are kept. */
async function announceSkipped(tx: Transaction, webhook: Webhook, from: bigint): Promise<void> {
  const { id: webhookId, accountId, kind, name, isEnabled: enabled } = webhook
  const expiredEvents = Number(from - webhook.readSequence)
  const payload = { webhookId, kind, name, enabled, expiredEvents }
  await record(tx, accountId, [{ type: 'webhook.changed', payload }])
}
