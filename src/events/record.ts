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

interface LedgerRow {
  lastEventSequence: bigint
  lastAuditSequence: bigint
  lastAuditHash: string
}

/**
 * Writes events and at most one audit entry, as the last thing that a transaction does. The ledger's row
 * lock is held from here to the commit, so that sequences are gap-free and their order is that of commits:
 * a reader that has seen number n can never miss one before it.
 */
export async function record(
  tx: Transaction,
  ledgerId: string,
  events: readonly NewEvent[],
  audit: NewAuditEntry | null = null,
): Promise<void> {
  if (events.length === 0 && !audit) return
  const [ledger] = await tx.$queryRaw<LedgerRow[]>`
    INSERT INTO ledger AS l (id, last_event_sequence, last_audit_sequence)
    VALUES (${ledgerId}, ${events.length}, ${audit ? 1 : 0})
    ON CONFLICT (id) DO UPDATE SET
      last_event_sequence = l.last_event_sequence + ${events.length},
      last_audit_sequence = l.last_audit_sequence + ${audit ? 1 : 0}
    RETURNING last_event_sequence AS "lastEventSequence", last_audit_sequence AS "lastAuditSequence",
      last_audit_hash AS "lastAuditHash"`
  if (!ledger) throw new Error(`The ledger ${ledgerId} gave no numbers`)
  if (audit) await appendAudit(tx, ledgerId, ledger, audit)
  if (events.length > 0) await appendEvents(tx, ledgerId, ledger.lastEventSequence, events)
}

async function appendEvents(tx: Transaction, ledgerId: string, last: bigint, events: readonly NewEvent[]) {
  const first = last - BigInt(events.length) + 1n
  await tx.event.createMany({
    data: events.map((event, index) => ({
      ledgerId,
      sequence: first + BigInt(index),
      type: event.type,
      appId: event.appId ?? null,
      appEnvId: event.appEnvId ?? null,
      operationId: event.operationId ?? null,
      payload: event.payload as object,
    })),
  })
  await tx.$executeRaw`SELECT pg_notify('berth_events', ${`${ledgerId}:${last}`})`
}

/** Each entry's hash covers the one before it, so that a changed or missing entry shows. */
async function appendAudit(tx: Transaction, ledgerId: string, ledger: LedgerRow, entry: NewAuditEntry) {
  const id = newId('aud')
  const sequence = ledger.lastAuditSequence
  const hash = auditHash(ledger.lastAuditHash, { id, ledgerId, sequence, ...entry })
  await tx.auditEntry.create({ data: { id, ledgerId, sequence, ...entry, details: entry.details as object, hash } })
  await tx.ledger.update({ where: { id: ledgerId }, data: { lastAuditHash: hash } })
}

export type HashedAuditEntry = NewAuditEntry & { id: string; ledgerId: string; sequence: bigint }

export function auditHash(previousHash: string, entry: HashedAuditEntry): string {
  const { id, ledgerId, sequence, action, actorType, actorId, tokenId, targetType, targetId, requestId } = entry
  const text = JSON.stringify([
    previousHash,
    [id, ledgerId, String(sequence), action, actorType, actorId, tokenId, targetType, targetId, requestId],
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
