import { createHash } from 'node:crypto'
import type { Transaction } from '../database/client.ts'
import { newId } from '../domain/ids.ts'
import type { NewEvent } from './event.ts'

export interface NewAuditEntry {
  action: string
  actorType: 'USER' | 'TOKEN' | 'SYSTEM'
  actorId: string | null
  tokenId: string | null
  targetType: string
  targetId: string
  requestId: string
  /** What was asked and changed; never a secret. */
  details: Record<string, unknown>
}

interface EventSequenceRow {
  lastEventSequence: bigint
  lastAuditSequence: bigint
  lastAuditHash: string
}

/**
 * Writes events and at most one audit entry, as the last part of a transaction. Holds the row lock of the event
 * sequence from here to the commit, so that sequence numbers have no gaps and follow the order of commits: a reader
 * that has seen number n can never miss one before it.
 */
export async function record(
  tx: Transaction,
  eventSequenceId: string,
  events: readonly NewEvent[],
  audit: NewAuditEntry | null = null,
): Promise<void> {
  if (events.length === 0 && !audit) return
  const [counters] = await tx.$queryRaw<EventSequenceRow[]>`
    INSERT INTO event_sequence AS l (id, last_event_sequence, last_audit_sequence)
    VALUES (${eventSequenceId}, ${events.length}, ${audit ? 1 : 0})
    ON CONFLICT (id) DO UPDATE SET
      last_event_sequence = l.last_event_sequence + ${events.length},
      last_audit_sequence = l.last_audit_sequence + ${audit ? 1 : 0}
    RETURNING last_event_sequence AS "lastEventSequence", last_audit_sequence AS "lastAuditSequence",
      last_audit_hash AS "lastAuditHash"`
  if (!counters) throw new Error(`The event sequence ${eventSequenceId} gave no numbers`)
  if (audit) await appendAudit(tx, eventSequenceId, counters, audit)
  if (events.length > 0) await appendEvents(tx, eventSequenceId, counters.lastEventSequence, events)
}

async function appendEvents(tx: Transaction, eventSequenceId: string, last: bigint, events: readonly NewEvent[]) {
  const first = last - BigInt(events.length) + 1n
  await tx.event.createMany({
    data: events.map((event, index) => ({
      eventSequenceId,
      sequence: first + BigInt(index),
      type: event.type,
      appId: event.appId ?? null,
      appEnvId: event.appEnvId ?? null,
      operationId: event.operationId ?? null,
      payload: event.payload as object,
    })),
  })
  await tx.$executeRaw`SELECT pg_notify('berth_events', ${`${eventSequenceId}:${last}`})`
}

/** Each entry's hash covers the one before it, so that a changed or missing entry shows. */
async function appendAudit(tx: Transaction, eventSequenceId: string, counters: EventSequenceRow, entry: NewAuditEntry) {
  const id = newId('aud')
  const sequence = counters.lastAuditSequence
  const hash = auditHash(counters.lastAuditHash, { id, eventSequenceId, sequence, ...entry })
  await tx.auditEntry.create({
    data: { id, eventSequenceId, sequence, ...entry, details: entry.details as object, hash },
  })
  await tx.eventSequence.update({ where: { id: eventSequenceId }, data: { lastAuditHash: hash } })
}

export type HashedAuditEntry = NewAuditEntry & { id: string; eventSequenceId: string; sequence: bigint }

export function auditHash(previousHash: string, entry: HashedAuditEntry): string {
  const { id, eventSequenceId, sequence, action, actorType, actorId, tokenId, targetType, targetId, requestId } = entry
  const text = JSON.stringify([
    previousHash,
    [id, eventSequenceId, String(sequence), action, actorType, actorId, tokenId, targetType, targetId, requestId],
    sortedKeys(entry.details),
  ])
  return createHash('sha256').update(text).digest('hex')
}

/** PostgreSQL's jsonb does not keep the order of keys, so the hash must not depend on it. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortedKeys(item)]))
}
