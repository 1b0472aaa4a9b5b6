import { createHash } from 'node:crypto'

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

export type HashedAuditEntry = NewAuditEntry & {
  id: string
  eventSequenceId: string
  sequence: bigint
  hashVersion: number
  createdAt: Date
}

/** Of new entries. Version 1 did not cover the time. */
export const AUDIT_HASH_VERSION = 2

/** The last entry of a chain; sequence 0 and no hash for one without entries. */
export interface AuditHead {
  eventSequenceId: string
  sequence: bigint
  hash: string
}

/** Seals heads with a key that is not in the database. */
export interface AuditHeads {
  auditHeadMac(head: AuditHead): string
}

/** Covers every field of the entry and the entry before. Null for a version that this program does not know. */
export function auditHash(previousHash: string, entry: HashedAuditEntry): string | null {
  const { id, eventSequenceId, sequence, action, actorType, actorId, tokenId, targetType, targetId, requestId } = entry
  const fields = [id, eventSequenceId, String(sequence), action, actorType, actorId, tokenId, targetType, targetId]
  const details = sortedKeys(entry.details)
  if (entry.hashVersion === 1) return sha256([previousHash, [...fields, requestId], details])
  if (entry.hashVersion !== AUDIT_HASH_VERSION) return null
  return sha256([AUDIT_HASH_VERSION, previousHash, [...fields, requestId, entry.createdAt.toISOString()], details])
}

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** PostgreSQL's jsonb does not keep the order of keys, so the hash must not depend on it. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sortedKeys(item)]))
}
