import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { LeaseLost } from './abandoned.ts'
import { type Claim, databaseClock, type Lease } from './lease.ts'

/** The tables whose rows workers claim. Each has `lease_token`, `lease_owner` and `lease_expires_at`. */
export const LEASED_TABLES = ['app_env', 'job_run', 'webhook', 'log_stream'] as const

export type LeasedTable = (typeof LEASED_TABLES)[number]

export interface Claimant {
  /** The worker's name. */
  owner: string
  leaseSeconds: number
}

export const nameOf = (table: LeasedTable): Prisma.Sql => Prisma.raw(table)

export const leaseEnd = (leaseSeconds: number): Prisma.Sql => Prisma.sql`now() + make_interval(secs => ${leaseSeconds})`

/** Assignments that claim a row. */
export const claimedBy = ({ owner, leaseSeconds }: Claimant): Prisma.Sql => Prisma.sql`
  lease_token = lease_token + 1, lease_owner = ${owner}, lease_expires_at = ${leaseEnd(leaseSeconds)}`

/** Assignments that give a row back. */
export const GIVEN_BACK = Prisma.sql`lease_owner = NULL, lease_expires_at = NULL`

/** Assignments that end the claim of a worker that is gone: its token is refused from now on. */
export const TAKEN_AWAY = Prisma.sql`${GIVEN_BACK}, lease_token = lease_token + 1`

/** Whether no worker has the row. */
export const isFree = (row: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(${row}.lease_expires_at IS NULL OR ${row}.lease_expires_at < now())`

export interface ClaimedRow {
  id: string
  accountId: string
  token: number
  nowMs: number
}

/** What a statement that claims a row returns. */
export const claimedRow = (row: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ${row}.id, ${row}.account_id AS "accountId", ${row}.lease_token AS token,
    (extract(epoch FROM now()) * 1000)::float8 AS "nowMs"`

export const claimOf = ({ id, accountId, token, nowMs }: ClaimedRow): Claim => ({
  id,
  accountId,
  token,
  clock: databaseClock(new Date(nowMs)),
})

/**
 * Locks a row under the fencing token of a lease, so that a claim by another worker comes either before, and this throws
 * LeaseLost, or after the commit.
 */
export async function lockUnderToken(tx: Transaction, table: LeasedTable, { claim }: Lease): Promise<void> {
  const [held] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM ${nameOf(table)} WHERE id = ${claim.id} AND lease_token = ${claim.token} FOR UPDATE`
  if (!held) throw new LeaseLost(`Another worker has claimed ${claim.id}`)
}

/** Renews what is still held. A row that a request has locked is left for the next time: it must not hold up the rest. */
export async function renewLeases(
  database: Database,
  table: Extract<LeasedTable, 'app_env' | 'job_run'>,
  leases: readonly Lease[],
  leaseSeconds: number,
): Promise<void> {
  const askedAt = performance.now()
  const ids = leases.map(({ claim }) => claim.id)
  const tokens = leases.map(({ claim }) => claim.token)
  const rows = await database.$queryRaw<{ id: string; token: number }[]>`
    UPDATE ${nameOf(table)} SET lease_expires_at = ${leaseEnd(leaseSeconds)}
    WHERE id IN (SELECT r.id FROM ${nameOf(table)} r JOIN unnest(${ids}::text[], ${tokens}::int[]) AS held (id, token)
      ON r.id = held.id AND r.lease_token = held.token ORDER BY r.id FOR UPDATE OF r SKIP LOCKED)
    RETURNING id, lease_token AS token`
  const renewed = new Set(rows.map(({ id, token }) => `${id} ${token}`))
  for (const lease of leases) if (renewed.has(`${lease.claim.id} ${lease.claim.token}`)) lease.renewed(askedAt)
}

/**
 * For how many seconds the last lease still holds, if that is longer than any lease is given for, else null. Then the
 * clock of the database has been set back, and a process that is gone holds what it held for that much longer.
 */
export async function findLeaseAhead(database: Database, maxLeaseSeconds: number): Promise<number | null> {
  const ends = LEASED_TABLES.map(
    (table) => Prisma.sql`SELECT lease_expires_at FROM ${nameOf(table)} WHERE lease_expires_at > now()`,
  )
  const [row] = await database.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM max(lease_expires_at) - now())::float8 AS seconds
    FROM (${Prisma.join(ends, ' UNION ALL ')}) AS held`
  const seconds = row?.seconds ?? 0
  return seconds > maxLeaseSeconds ? Math.round(seconds) : null
}
