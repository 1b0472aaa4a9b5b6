import { CLAIM_SECONDS, type CommitState, pauseAfter } from '../../domain/commit-status.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database } from '../../storage/database/client.ts'
import type { CommitStatus } from '../../storage/database/generated/prisma/client.ts'

/** A status that this worker is reporting. */
export type ClaimedStatus = Pick<
  CommitStatus,
  'operationId' | 'appEnvId' | 'source' | 'provider' | 'project' | 'commitId' | 'installationId' | 'claims' | 'failures'
> & {
  state: CommitState
  /** By performance.now(), before the claim was made. */
  claimedAt: number
}

/** Outcome of an attempt. */
export interface StatusOutcome {
  isTaken: boolean
  /** Of a failure: whether asking again may help. */
  mayRetry: boolean
  error: string | null
}

/** Claims statuses that the git host does not show yet. Another worker may claim one again when its time is over. */
export async function claimStatuses(database: Database, most: number): Promise<ClaimedStatus[]> {
  const claimedAt = performance.now()
  const rows = await database.$queryRaw<Omit<ClaimedStatus, 'claimedAt'>[]>`
    WITH due AS (
      SELECT s.operation_id, n.state FROM commit_status s JOIN operation o ON o.id = s.operation_id
      CROSS JOIN LATERAL (SELECT CASE o.status WHEN 'SUCCEEDED' THEN 'SUCCESS' WHEN 'FAILED' THEN 'FAILURE'
        WHEN 'CANCELLED' THEN 'CANCELLED' ELSE 'PENDING' END AS state) n
      WHERE s.ended_at IS NULL AND s.due_at <= now() AND s.reported IS DISTINCT FROM n.state
      ORDER BY s.due_at LIMIT ${most} FOR UPDATE OF s SKIP LOCKED)
    UPDATE commit_status s SET claims = s.claims + 1, due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    FROM due WHERE s.operation_id = due.operation_id
    RETURNING s.operation_id AS "operationId", s.app_env_id AS "appEnvId", s.source, s.provider::text AS provider,
      s.project, s.commit_id AS "commitId", s.installation_id AS "installationId", s.claims, s.failures, due.state`
  return rows.map((row) => ({ ...row, claimedAt }))
}

/** Records the outcome of an attempt, unless another worker has claimed the status since. */
export async function recordAttempt(
  database: Database,
  { operationId, claims, failures, state, source }: ClaimedStatus,
  { isTaken, mayRetry, error }: StatusOutcome,
): Promise<void> {
  failpoint('status.sent', operationId)
  const pause = isTaken || !mayRetry ? null : pauseAfter(failures + 1)
  const hasEnded = isTaken ? state !== 'PENDING' : pause === null
  await database.$transaction([
    database.$executeRaw`
      UPDATE commit_status SET reported = CASE WHEN ${isTaken} THEN ${state} ELSE reported END, error = ${error},
        failures = CASE WHEN ${isTaken} THEN 0 ELSE failures + 1 END,
        due_at = now() + make_interval(secs => ${pause ?? 0}::float8),
        ended_at = CASE WHEN ${hasEnded} THEN now() ELSE ended_at END
      WHERE operation_id = ${operationId} AND claims = ${claims}`,
    // Raw, so that the version of the hook stays: no user has changed it.
    database.$executeRaw`
      UPDATE git_hook SET status_error = ${error} WHERE id = ${source} AND status_error IS DISTINCT FROM ${error}`,
  ])
}
