import type { Transaction } from '../database/client.ts'
import type { AuditHeads } from './audit-hash.ts'

/**
 * A sealed head for a chain that has no entries yet. A chain that begins without one is not sealed at all: otherwise
 * an attacker who removes a whole chain would get a new one.
 */
export async function beginAuditChain(tx: Transaction, heads: AuditHeads, eventSequenceId: string): Promise<void> {
  const auditHeadMac = heads.auditHeadMac({ eventSequenceId, sequence: 0n, hash: '' })
  await tx.eventSequence.create({ data: { id: eventSequenceId, auditHeadMac } })
}

/** Every chain that there is or should be: of accounts, of deleted ones, and the installation's. */
export const auditChainIds = async (tx: Transaction): Promise<string[]> =>
  (
    await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM event_sequence UNION SELECT id FROM account UNION SELECT event_sequence_id FROM audit_entry
      UNION SELECT target_id FROM audit_entry WHERE event_sequence_id = 'installation' AND action = 'createAccount'
      UNION SELECT 'installation' ORDER BY 1`
  ).map(({ id }) => id)

/** Seals every chain as it is now. */
export async function sealAuditHeads(tx: Transaction, heads: AuditHeads): Promise<void> {
  for (const id of await auditChainIds(tx)) {
    const head = await tx.eventSequence.upsert({ where: { id }, create: { id }, update: {} })
    await resealHead(tx, heads, head)
  }
}

interface Head {
  id: string
  lastAuditSequence: bigint
  lastAuditHash: string
  auditHeadMac: string | null
}

const headOf = ({ id, lastAuditSequence, lastAuditHash }: Head) => ({
  eventSequenceId: id,
  sequence: lastAuditSequence,
  hash: lastAuditHash,
})

export const isSealed = (heads: AuditHeads, head: Head): boolean =>
  head.auditHeadMac !== null && head.auditHeadMac === heads.auditHeadMac(headOf(head))

/** Seals with another key what is sealed with the old one. A head that is not stays so: a rotation must not heal it. */
export async function moveAuditHeads(tx: Transaction, old: AuditHeads, next: AuditHeads): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM event_sequence FOR UPDATE`
  for (const head of await tx.eventSequence.findMany()) if (isSealed(old, head)) await resealHead(tx, next, head)
}

async function resealHead(tx: Transaction, heads: AuditHeads, head: Head): Promise<void> {
  const auditHeadMac = heads.auditHeadMac(headOf(head))
  await tx.eventSequence.update({ where: { id: head.id }, data: { auditHeadMac } })
}
