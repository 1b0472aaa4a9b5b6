import type { Database, Transaction } from '../../storage/database/client.ts'
import type { EventSequence } from '../../storage/database/generated/prisma/client.ts'
import { type AuditHeads, auditHash, type HashedAuditEntry } from '../../storage/events/audit-hash.ts'
import { auditChainIds, isSealed } from '../../storage/events/audit-heads.ts'

const PAGE = 1_000
// One chain is read in one snapshot, however long it is.
const LONG = { isolationLevel: 'RepeatableRead', timeout: 3_600_000 } as const

export interface AuditChain {
  /** Id of the account, or `installation`. */
  id: string
  entries: number
  firstAt: Date | null
  lastAt: Date | null
  lastHash: string
  /** The first entry that does not hold, and why; null when the whole chain does. */
  broken: { sequence: bigint; problem: string } | null
}

/** Recomputes every chain of the audit log, and compares it with its sealed head. */
export async function* verifyAudit(database: Database, heads: AuditHeads): AsyncGenerator<AuditChain, void> {
  for (const id of await auditChainIds(database))
    yield await database.$transaction((tx) => verifyChain(tx, heads, id), LONG)
}

async function verifyChain(tx: Transaction, heads: AuditHeads, id: string): Promise<AuditChain> {
  const chain: AuditChain = { id, entries: 0, firstAt: null, lastAt: null, lastHash: '', broken: null }
  let last = 0n
  for await (const entry of entriesOf(tx, id)) {
    chain.broken ??= problemOf(entry, last, chain.lastHash)
    chain.entries += 1
    chain.firstAt ??= entry.createdAt
    chain.lastAt = entry.createdAt
    chain.lastHash = entry.hash
    last = entry.sequence
  }
  chain.broken ??= headProblem(heads, await tx.eventSequence.findUnique({ where: { id } }), last, chain.lastHash)
  return chain
}

async function* entriesOf(tx: Transaction, eventSequenceId: string) {
  for (let after = 0n; ; ) {
    const entries = await tx.auditEntry.findMany({
      where: { eventSequenceId, sequence: { gt: after } },
      orderBy: { sequence: 'asc' },
      take: PAGE,
    })
    if (entries.length === 0) return
    yield* entries
    after = entries.at(-1)?.sequence ?? after
  }
}

type Entry = Omit<HashedAuditEntry, 'actorType' | 'details'> & { actorType: string; details: unknown; hash: string }

function problemOf(entry: Entry, last: bigint, lastHash: string): AuditChain['broken'] {
  const { sequence, hash } = entry
  if (sequence !== last + 1n) return { sequence: last + 1n, problem: `entry ${last + 1n} is missing` }
  const expected = auditHash(lastHash, entry as HashedAuditEntry)
  if (expected === null)
    return { sequence, problem: `entry ${sequence} has the hash version ${entry.hashVersion}, which is not known` }
  if (expected === hash) return null
  return { sequence, problem: `entry ${sequence}, or the one before it, was changed: its hash does not match` }
}

function headProblem(
  heads: AuditHeads,
  head: EventSequence | null,
  last: bigint,
  lastHash: string,
): AuditChain['broken'] {
  if (!head) return { sequence: last, problem: 'the head of the chain is missing' }
  const { lastAuditSequence, lastAuditHash } = head
  if (lastAuditSequence !== last)
    return {
      sequence: last + 1n,
      problem: `entry ${last + 1n} is missing: the chain has ended at ${lastAuditSequence}`,
    }
  if (lastAuditHash !== lastHash)
    return { sequence: last, problem: `entry ${last} is not the one that was written last` }
  if (isSealed(heads, head)) return null
  return {
    sequence: last,
    problem: 'the head is not sealed with the master key: the chain was cut or written again by something else',
  }
}
