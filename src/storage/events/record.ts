import { newId } from '../../domain/ids.ts'
import type { Transaction } from '../database/client.ts'
import { auditedChanges } from './audit-changes.ts'
import { AUDIT_HASH_VERSION, type AuditHeads, auditHash, type NewAuditEntry } from './audit-hash.ts'
import { isSealed } from './audit-heads.ts'
import type { NewEvent } from './event.ts'

interface EventSequenceRow {
  lastEventSequence: bigint
  lastAuditSequence: bigint
  lastAuditHash: string
  auditHeadMac: string | null
  /** What the transaction has changed, if it notes that. */
  noted: string | null
  leftOut: string | null
  /** Of the transaction, as the entry's time. */
  epochMs: number
}

/** An audit entry, and what seals the head of its chain. */
export interface Audited {
  entry: NewAuditEntry
  heads: AuditHeads
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
  audit: Audited | null = null,
): Promise<void> {
  if (events.length === 0 && !audit) return
  const [counters] = await tx.$queryRaw<EventSequenceRow[]>`
    INSERT INTO event_sequence AS l (id, last_event_sequence, last_audit_sequence)
    VALUES (${eventSequenceId}, ${events.length}, ${audit ? 1 : 0})
    ON CONFLICT (id) DO UPDATE SET
      last_event_sequence = l.last_event_sequence + ${events.length},
      last_audit_sequence = l.last_audit_sequence + ${audit ? 1 : 0}
    RETURNING last_event_sequence AS "lastEventSequence", last_audit_sequence AS "lastAuditSequence",
      last_audit_hash AS "lastAuditHash", audit_head_mac AS "auditHeadMac",
      current_setting('berth.changes', true) AS noted, current_setting('berth.changes_left_out', true) AS "leftOut",
      floor(extract(epoch FROM now()) * 1000)::float8 AS "epochMs"`
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

/**
 * Each entry's hash covers the one before it, and the head is sealed, so that a changed or missing entry shows. On a
 * head that is not sealed, or no longer, nothing is sealed: a write must not heal what was cut.
 */
async function appendAudit(tx: Transaction, id: string, counters: EventSequenceRow, { entry, heads }: Audited) {
  const { lastAuditSequence: sequence, lastAuditHash, auditHeadMac, epochMs } = counters
  const wasSealed = isSealed(heads, { id, lastAuditSequence: sequence - 1n, lastAuditHash, auditHeadMac })
  const createdAt = new Date(epochMs)
  const details = { ...entry.details, ...auditedChanges(counters.noted, counters.leftOut) }
  const row = {
    id: newId('aud'),
    eventSequenceId: id,
    sequence,
    ...entry,
    details,
    createdAt,
    hashVersion: AUDIT_HASH_VERSION,
  }
  const hash = auditHash(lastAuditHash, row) ?? ''
  await tx.auditEntry.create({ data: { ...row, details: details as object, hash } })
  const sealed = wasSealed ? { auditHeadMac: heads.auditHeadMac({ eventSequenceId: id, sequence, hash }) } : {}
  await tx.eventSequence.update({ where: { id }, data: { lastAuditHash: hash, ...sealed } })
}
