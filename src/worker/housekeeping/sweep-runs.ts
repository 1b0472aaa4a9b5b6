import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { isOnEngine } from '../scope/engine-scope.ts'

const AT_ONCE = 50
/** Containers of ended runs slow the engine down: of one environment, only so many are kept until their time. */
const MAX_KEPT = 100
const RECORDS_AT_ONCE = 1000

type SweepContext = Pick<WorkerContext, 'runtime' | 'scope' | 'engineHealth' | 'database' | 'config' | 'log'>

/** Removes containers of attempts that ended long enough ago. Their output is stored since their end was recorded. */
export async function removeEndedRuns(context: SweepContext, signal: AbortSignal): Promise<void> {
  const { runtime, scope, engineHealth, database, config } = context
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const ended = await database.$queryRaw<{ runId: string; number: number; containerId: string | null }[]>`
    SELECT run_id AS "runId", number, container_id AS "containerId" FROM (
      SELECT a.*, e.deleted_at, row_number() OVER (PARTITION BY r.app_env_id ORDER BY a.created_at DESC) AS rank
      FROM job_attempt a JOIN job_run r ON r.id = a.run_id JOIN app_env e ON e.id = r.app_env_id
      WHERE a.remove_at IS NOT NULL AND a.container_removed_at IS NULL
        AND ${isOnEngine(Prisma.sql`e.region_code`, scope)}) kept
    WHERE remove_at <= now() OR deleted_at IS NOT NULL OR rank > ${MAX_KEPT} ORDER BY remove_at LIMIT ${AT_ONCE}`
  for (const { runId, number, containerId } of ended) {
    if (containerId !== null) await runtime.removeRuns({ containerId }, bounds)
    await database.$executeRaw`
      UPDATE job_attempt SET container_removed_at = now() WHERE run_id = ${runId} AND number = ${number}`
  }
}

/**
 * Removes containers of runs that no record knows, and records that are older than they are kept. A release command that
 * has passed stays on record: a rollback must not run it again.
 */
export async function sweepRuns(context: SweepContext, signal: AbortSignal): Promise<void> {
  const { runtime, database, config, log } = context
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const observed = await runtime.observeRuns({}, bounds)
  // Read after the containers: an attempt is recorded before its container is created.
  const known = await database.jobAttempt.findMany({
    where: { runId: { in: [...new Set(observed.map(({ runId }) => runId))] } },
    select: { runId: true, number: true, containerId: true, finishedAt: true, containerRemovedAt: true },
  })
  const attempts = new Map(known.map((attempt) => [`${attempt.runId} ${attempt.number}`, attempt]))
  for (const { runId, attempt: number, containerId, name } of observed) {
    const attempt = attempts.get(`${runId} ${number}`)
    const isBeingMade = attempt?.containerId === null && attempt.finishedAt === null
    if (isBeingMade || (attempt?.containerId === containerId && !attempt.containerRemovedAt)) continue
    log.info({ container: name }, 'Removing a container of a job run that no record knows')
    await runtime.removeRuns({ containerId }, bounds)
  }
  await database.$executeRaw`
    DELETE FROM job_run WHERE id IN (SELECT r.id FROM job_run r
      WHERE (r.release_key IS NULL OR r.status <> 'SUCCEEDED') AND r.finished_at < now() - make_interval(days => ${config.BERTH_JOB_RUN_DAYS})
        AND NOT EXISTS (SELECT 1 FROM job_attempt a WHERE a.run_id = r.id AND a.container_removed_at IS NULL)
      LIMIT ${RECORDS_AT_ONCE})`
}
