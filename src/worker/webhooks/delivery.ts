import { labelsOf } from '../../domain/labels.ts'
import type { WebhookSecrets } from '../../domain/webhook.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Account, Webhook } from '../../storage/database/generated/prisma/client.ts'
import type { EventType, RecordedEvent } from '../../storage/events/event.ts'
import { type Notice, noticeOf } from '../../storage/events/notices.ts'

/** A webhook as it was when the round began; a change of it ends the lease. */
export interface Receiver {
  webhook: Webhook & { account: Account }
  secrets: WebhookSecrets
  /** The former secret still signs. */
  signsTwice: boolean
}

/** A delivery that waits. */
export interface Waiting {
  id: string
  queue: string
  sequence: bigint
  failures: number
  /** It is attempted once, and its failure counts only for the caller who requested it. */
  isTest: boolean
  isDue: boolean
}

/** The queues whose first delivery is due, each in the order of its events. */
export async function dueQueues(database: Database, webhookId: string): Promise<Waiting[][]> {
  const waiting = await database.$queryRaw<Waiting[]>`
    SELECT id, queue, sequence, failures, event_type = 'webhook.tested' AS "isTest", due_at <= now() AS "isDue" FROM webhook_delivery
    WHERE webhook_id = ${webhookId} AND status = 'PENDING' ORDER BY sequence`
  return [...Map.groupBy(waiting, ({ queue }) => queue).values()].filter(([first]) => first?.isDue)
}

/** Null when the event is no longer kept. */
export async function eventOf(database: Database, accountId: string, sequence: bigint): Promise<RecordedEvent | null> {
  const key = { eventSequenceId: accountId, sequence }
  const row = await database.event.findUnique({ where: { eventSequenceId_sequence: key } })
  if (!row) return null
  return {
    ...row,
    type: row.type as EventType,
    payload: row.payload as Record<string, unknown>,
    appId: row.appId ?? undefined,
    appEnvId: row.appEnvId ?? undefined,
    operationId: row.operationId ?? undefined,
  }
}

/** What receivers of the kind WEBHOOK get, in the shape that Standard Webhooks recommends, with the labels of this time. */
export async function bodyOf(
  database: Database,
  { eventSequenceId, sequence, type, createdAt, payload, ...ids }: RecordedEvent,
): Promise<string> {
  const { appId, appEnvId } = ids
  const appLabels = appId ? labelsOf(await database.appLabel.findMany({ where: { appId }, orderBy: BY_KEY })) : null
  const appEnvLabels = appEnvId
    ? labelsOf(await database.appEnvLabel.findMany({ where: { appEnvId }, orderBy: BY_KEY }))
    : null
  return JSON.stringify({
    type,
    timestamp: createdAt.toISOString(),
    data: {
      accountId: eventSequenceId,
      appId: ids.appId ?? null,
      appEnvId: ids.appEnvId ?? null,
      operationId: ids.operationId ?? null,
      cursor: String(sequence),
      appLabels,
      appEnvLabels,
      payload,
    },
  })
}

const BY_KEY = { key: 'asc' } as const

/** Whether a notice announces it to people. Decided when the event is taken: it decides whether there is a delivery. */
export async function isNews(database: Database | Transaction, event: RecordedEvent): Promise<boolean> {
  const { type, appEnvId, operationId } = event
  const hasRecovered = type === 'operation.succeeded' && (await followsFailure(database, appEnvId, operationId))
  return noticeOf(event, { envName: null, hasRecovered }) !== null
}

/** What people get of an event that is news. */
export async function noticeFor(database: Database, event: RecordedEvent): Promise<Notice> {
  const { type, appEnvId } = event
  const appEnv = appEnvId ? await database.appEnv.findUnique({ where: { id: appEnvId } }) : null
  const envName = appEnv?.cliEnvName ?? appEnvId ?? null
  return noticeOf(event, { envName, hasRecovered: true }) ?? { title: type, text: envName ?? '' }
}

async function followsFailure(database: Database | Transaction, appEnvId = '', operationId = ''): Promise<boolean> {
  const before = await database.operation.findFirst({
    where: { appEnvId, id: { lt: operationId }, status: { in: ['SUCCEEDED', 'FAILED'] } },
    orderBy: { id: 'desc' },
    select: { status: true },
  })
  return before?.status === 'FAILED'
}
