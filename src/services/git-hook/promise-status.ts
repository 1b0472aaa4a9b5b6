import { CLAIM_SECONDS } from '../../domain/commit-status.ts'
import type { Deciding } from './decision.ts'

/**
 * A worker reports the status to the git host, once it is stored. Of one commit in environments of one name, the last
 * operation counts. It waits until no attempt for an earlier one can be under way, which would arrive after its own.
 */
export async function promiseStatus(
  { context: { tx }, source, concerned }: Pick<Deciding, 'context' | 'source' | 'concerned'>,
  { project, commit: commitId }: { project: string | null; commit: string },
  { appEnvId, operationId }: { appEnvId: string; operationId: string },
): Promise<void> {
  if (!concerned.setsStatuses || project === null) return
  const { id, provider } = source
  const { installationId } = concerned
  await tx.commitStatus.create({
    data: { operationId, appEnvId, source: id, provider, project, commitId, installationId },
  })
  await tx.$executeRaw`
    WITH earlier AS (
      UPDATE commit_status s SET ended_at = now() FROM app_env e, app_env own
      WHERE own.id = ${appEnvId} AND e.cli_env_name = own.cli_env_name AND e.id = s.app_env_id
        AND s.commit_id = ${commitId} AND s.operation_id <> ${operationId} AND s.ended_at IS NULL
      RETURNING s.due_at)
    UPDATE commit_status SET due_at = least(
      greatest(now(), (SELECT max(due_at) FROM earlier)), now() + make_interval(secs => ${CLAIM_SECONDS}))
    WHERE operation_id = ${operationId}`
}
