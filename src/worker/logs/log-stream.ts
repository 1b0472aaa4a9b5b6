import type { Database, Transaction } from '../../database/client.ts'
import type { LogStreamKind } from '../../database/generated/prisma/client.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { CapState } from './rate-cap.ts'

/** The right to write one of an environment's logs, until another worker claims it. */
export interface LogStreamClaim {
  id: number
  appEnvId: string
  token: number
  lastNumber: bigint
  /** Every write renews the claim for so long. */
  leaseSeconds: number
}

export interface LogStreamLine {
  containerId: number
  at: bigint
  isError: boolean
  message: string
}

/** A container's place and cap after the lines that are written with it. */
export interface Progress {
  id: number
  checkpoint: Checkpoint
  cap: CapState
}

interface Claimant {
  owner: string
  leaseSeconds: number
  /** Takes it from whoever has it: the container is about to be removed, or the build is now this worker's. */
  isForced?: boolean
}

/** Claims a log of an environment; null while another worker has it. */
export async function claimLogStream(
  database: Database | Transaction,
  { appEnvId, kind }: { appEnvId: string; kind: LogStreamKind },
  { owner, leaseSeconds, isForced = false }: Claimant,
): Promise<LogStreamClaim | null> {
  const [stream] = await database.$queryRaw<Omit<LogStreamClaim, 'leaseSeconds'>[]>`
    INSERT INTO log_stream AS b (app_env_id, kind, lease_owner, lease_expires_at, lease_token)
    VALUES (${appEnvId}, ${kind}::"LogStreamKind", ${owner}, now() + make_interval(secs => ${leaseSeconds}), 1)
    ON CONFLICT (app_env_id, kind) DO UPDATE SET lease_owner = excluded.lease_owner,
      lease_expires_at = excluded.lease_expires_at, lease_token = b.lease_token + 1
    WHERE ${isForced} OR b.lease_expires_at IS NULL OR b.lease_expires_at < now()
    RETURNING id, app_env_id AS "appEnvId", lease_token AS token, last_number AS "lastNumber"`
  return stream ? { ...stream, leaseSeconds } : null
}

/**
 * Lines and the places they lead to, in one statement: both are kept or neither. False when the book is another's, or
 * when an earlier call has written after all: then whoever goes on has to read the places again. The book's row stays
 * locked to the commit, so numbers are given in the order of commits and have no gaps. The log of a build is written only
 * while the claim lasts: once it is over, readers are told that nothing follows.
 */
export async function append(
  database: Database,
  stream: LogStreamClaim,
  lines: readonly LogStreamLine[],
  progress: readonly Progress[],
): Promise<boolean> {
  const positions = progress.map(({ checkpoint: place, cap }) => [place.stdout, place.stderr, cap] as const)
  const written = await database.$queryRaw<unknown[]>`
    WITH book AS (
      UPDATE log_stream SET last_number = last_number + ${lines.length},
        lease_expires_at = now() + make_interval(secs => ${stream.leaseSeconds})
      WHERE id = ${stream.id} AND lease_token = ${stream.token} AND last_number = ${stream.lastNumber}
        AND (kind = 'CONTAINERS' OR lease_expires_at > now())
      RETURNING id, last_number
    ), places AS (
      UPDATE container c SET stdout_at = p.stdout_at, stdout_count = p.stdout_count, stderr_at = p.stderr_at,
        stderr_count = p.stderr_count, cap_minute = p.cap_minute, cap_used = p.cap_used, dropped = p.dropped
      FROM book, unnest(${progress.map(({ id }) => id)}::int[],
        ${positions.map(([out]) => String(out.at))}::bigint[], ${positions.map(([out]) => out.count)}::int[],
        ${positions.map(([, err]) => String(err.at))}::bigint[], ${positions.map(([, err]) => err.count)}::int[],
        ${positions.map(([, , cap]) => String(cap.minute))}::bigint[], ${positions.map(([, , cap]) => cap.used)}::int[],
        ${positions.map(([, , cap]) => cap.dropped)}::int[])
        AS p (id, stdout_at, stdout_count, stderr_at, stderr_count, cap_minute, cap_used, dropped)
      WHERE c.id = p.id
    ), lines AS (
      INSERT INTO log_line (log_stream_id, number, container_id, at, is_error, message)
      SELECT book.id, ${stream.lastNumber} + l.place, l.container_id, l.at, l.is_error, l.message
      FROM book, unnest(${lines.map(({ containerId }) => containerId)}::int[], ${lines.map(({ at }) => String(at))}::bigint[],
        ${lines.map(({ isError }) => isError)}::boolean[], ${lines.map(({ message }) => message)}::text[])
        WITH ORDINALITY AS l (container_id, at, is_error, message, place)
    )
    SELECT pg_notify('berth_logs', ${stream.appEnvId} || ':' || last_number)::text FROM book`
  if (written.length === 0) return false
  stream.lastNumber += BigInt(lines.length)
  return true
}

/** Keeps the books of one worker its own; returns the ids of those that still are. */
export async function renewLogStreams(
  database: Database,
  claims: readonly LogStreamClaim[],
  leaseSeconds: number,
): Promise<Set<number>> {
  const held = await database.$queryRaw<{ id: number }[]>`
    UPDATE log_stream SET lease_expires_at = now() + make_interval(secs => ${leaseSeconds})
    WHERE id IN (SELECT b.id FROM log_stream b
      JOIN unnest(${claims.map(({ id }) => id)}::int[], ${claims.map(({ token }) => token)}::int[]) AS held (id, token)
      ON b.id = held.id AND b.lease_token = held.token ORDER BY b.id FOR UPDATE OF b)
    RETURNING id`
  return new Set(held.map(({ id }) => id))
}

export const releaseLogStream = (database: Database, { id, token }: LogStreamClaim): Promise<number> =>
  database.$executeRaw`
    UPDATE log_stream SET lease_owner = NULL, lease_expires_at = NULL WHERE id = ${id} AND lease_token = ${token}`
