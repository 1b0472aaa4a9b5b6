import { type LogLevel, levelNumber } from '../../domain/log-level.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { type LogStreamKind, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { type Claimant, GIVEN_BACK, isFree, leaseEnd } from '../claim/leased-table.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { CapState } from './rate-cap.ts'

/** The right to write one of an environment's log streams, until another worker claims it. */
export interface LogStreamClaim {
  id: number
  appEnvId: string
  /** Null once the environment's row is gone. */
  accountId: string | null
  /** Of its app, whose engine decides how its log reads. Null once the environment's row is gone. */
  preset: string | null
  token: number
  lastNumber: bigint
  /** Every write renews the claim for this long. */
  leaseSeconds: number
}

/** A row costs more than its text. The deletion of old lines counts the same. */
export const LINE_OVERHEAD_BYTES = 64

/** Of one statement: while more is encoded, the process does nothing else. Lines and their overhead. */
export const MAX_STATEMENT_BYTES = 512 * 1024

export const bytesOf = (lines: readonly LogStreamLine[]): number =>
  lines.reduce((sum, { message }) => sum + Buffer.byteLength(message) + LINE_OVERHEAD_BYTES, 0)

export interface LogStreamLine {
  containerId: number
  at: bigint
  isError: boolean
  message: string
  /** That the line names. */
  level?: LogLevel | null
  /** The line goes on in the next one of its container and stream. */
  isPartial?: true | undefined
  /** Written by Berth in place of dropped lines: always kept. */
  isNotice?: true
}

/** A container's checkpoint and cap after the lines that are written with it. */
export interface Progress {
  id: number
  checkpoint: Checkpoint
  cap: CapState
}

/** How lines are written under a claim. */
export interface LogStreamAccess {
  /** False when another worker has the stream. */
  append: typeof append
  release: typeof releaseLogStream
}

interface StreamClaimant extends Claimant {
  /**
   * Claims the stream even while another worker has it: the container is about to be removed, or the build is now this
   * worker's.
   */
  isForced?: boolean
}

/** Claims a log stream of an environment; null while another worker has it. */
export async function claimLogStream(
  database: Database | Transaction,
  { appEnvId, kind }: { appEnvId: string; kind: LogStreamKind },
  { owner, leaseSeconds, isForced = false }: StreamClaimant,
): Promise<LogStreamClaim | null> {
  const [stream] = await database.$queryRaw<Omit<LogStreamClaim, 'leaseSeconds'>[]>`
    INSERT INTO log_stream AS s (app_env_id, kind, lease_owner, lease_expires_at, lease_token)
    VALUES (${appEnvId}, ${kind}::"LogStreamKind", ${owner}, ${leaseEnd(leaseSeconds)}, 1)
    ON CONFLICT (app_env_id, kind) DO UPDATE SET lease_owner = excluded.lease_owner,
      lease_expires_at = excluded.lease_expires_at, lease_token = s.lease_token + 1
    WHERE ${isForced} OR ${isFree(Prisma.sql`s`)}
    RETURNING id, app_env_id AS "appEnvId", (SELECT e.account_id FROM app_env e WHERE e.id = app_env_id) AS "accountId",
      (SELECT a.docker_preset FROM app_env e JOIN app a ON a.id = e.app_id WHERE e.id = app_env_id) AS preset,
      lease_token AS token, last_number AS "lastNumber"`
  return stream ? { ...stream, leaseSeconds } : null
}

/**
 * Writes lines and the checkpoints they lead to in one statement: both or neither. False when another worker has the
 * stream, or an earlier call committed after all: then the checkpoints have to be read again. The stream's row stays
 * locked until the commit, so line numbers follow the order of commits and have no gaps. A build's log is written only
 * while the claim lasts: after that, readers get the end of the log.
 */
export async function append(
  database: Database,
  stream: LogStreamClaim,
  lines: readonly LogStreamLine[],
  progress: readonly Progress[],
): Promise<boolean> {
  const written = await writeLines(database, lines, progress, {
    appEnvId: stream.appEnvId,
    numbered: Prisma.sql`
      UPDATE log_stream SET last_number = last_number + ${lines.length}, bytes = bytes + ${bytesOf(lines)},
        lease_expires_at = ${leaseEnd(stream.leaseSeconds)}
      WHERE id = ${stream.id} AND lease_token = ${stream.token} AND last_number = ${stream.lastNumber}
        AND (kind = 'CONTAINERS' OR lease_expires_at > now())
      RETURNING id, last_number`,
  })
  if (written) stream.lastNumber += BigInt(lines.length)
  return written
}

/**
 * Writes lines with the numbers that `numbered` takes from the stream's row, which stays locked until the commit, and
 * the checkpoints that they lead to. False when it takes none: then nothing is written.
 */
export async function writeLines(
  database: Database,
  lines: readonly LogStreamLine[],
  progress: readonly Progress[],
  { appEnvId, numbered }: { appEnvId: string; numbered: Prisma.Sql },
): Promise<boolean> {
  const positions = progress.map(({ checkpoint, cap }) => [checkpoint.stdout, checkpoint.stderr, cap] as const)
  const written = await database.$queryRaw<unknown[]>`
    WITH stream AS (${numbered}), checkpoints AS (
      UPDATE container c SET stdout_at = p.stdout_at, stdout_count = p.stdout_count, stderr_at = p.stderr_at,
        stderr_count = p.stderr_count, cap_minute = p.cap_minute, cap_used = p.cap_used, dropped = p.dropped
      FROM stream, unnest(${progress.map(({ id }) => id)}::int[],
        ${positions.map(([out]) => String(out.at))}::bigint[], ${positions.map(([out]) => out.count)}::int[],
        ${positions.map(([, err]) => String(err.at))}::bigint[], ${positions.map(([, err]) => err.count)}::int[],
        ${positions.map(([, , cap]) => String(cap.minute))}::bigint[], ${positions.map(([, , cap]) => cap.used)}::int[],
        ${positions.map(([, , cap]) => cap.dropped)}::int[])
        AS p (id, stdout_at, stdout_count, stderr_at, stderr_count, cap_minute, cap_used, dropped)
      WHERE c.id = p.id
    ), lines AS (
      INSERT INTO log_line (log_stream_id, number, container_id, at, is_error, is_partial, message, level)
      SELECT stream.id, stream.last_number - ${lines.length} + l.position, l.container_id, l.at, l.is_error, l.is_partial,
        l.message, l.level
      FROM stream, unnest(${lines.map(({ containerId }) => containerId)}::int[], ${lines.map(({ at }) => String(at))}::bigint[],
        ${lines.map(({ isError }) => isError)}::boolean[], ${lines.map(({ isPartial = false }) => isPartial)}::boolean[],
        ${lines.map(({ message }) => message)}::text[], ${lines.map(({ level }) => (level ? levelNumber(level) : null))}::smallint[])
        WITH ORDINALITY AS l (container_id, at, is_error, is_partial, message, level, position)
    )
    SELECT pg_notify('berth_logs', ${appEnvId} || ':' || last_number)::text FROM stream`
  return written.length > 0
}

/** Renews one worker's claims; returns the ids of those it still has. */
export async function renewLogStreams(
  database: Database,
  claims: readonly LogStreamClaim[],
  leaseSeconds: number,
): Promise<Set<number>> {
  const held = await database.$queryRaw<{ id: number }[]>`
    UPDATE log_stream SET lease_expires_at = ${leaseEnd(leaseSeconds)}
    WHERE id IN (SELECT s.id FROM log_stream s
      JOIN unnest(${claims.map(({ id }) => id)}::int[], ${claims.map(({ token }) => token)}::int[]) AS held (id, token)
      ON s.id = held.id AND s.lease_token = held.token ORDER BY s.id FOR UPDATE OF s)
    RETURNING id`
  return new Set(held.map(({ id }) => id))
}

export const releaseLogStream = (database: Database, { id, token }: LogStreamClaim): Promise<number> =>
  database.$executeRaw`
    UPDATE log_stream SET ${GIVEN_BACK} WHERE id = ${id} AND lease_token = ${token}`

/** Of streams that one worker has, from its claim to another's. */
export const CLAIMED_STREAM: LogStreamAccess = { append, release: releaseLogStream }
