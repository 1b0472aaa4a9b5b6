import type { Database } from '../../database/client.ts'
import type { EngineHealth } from './engine-health.ts'

const HOST_ID = 'local'
const REGION = 'local'

/**
 * Records whether the engine is reachable. When it is back after an outage, makes everything that waited for it due:
 * containers may have ended without an event, and those that slept may run.
 */
export async function recordEngine(
  database: Database,
  engineHealth: EngineHealth,
  changed: boolean,
  wake: () => void,
): Promise<void> {
  const reachable = engineHealth.reachable === true
  const { name = 'Container engine', version = null } = engineHealth.info ?? {}
  await database.$executeRaw`
    INSERT INTO engine_host (id, region_code, name, engine_version, reachable, reason, observed_at)
    SELECT ${HOST_ID}, code, ${name}, ${version}, ${reachable}, ${engineHealth.reason}, now() FROM region WHERE code = ${REGION}
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, reachable = excluded.reachable, reason = excluded.reason,
      engine_version = coalesce(excluded.engine_version, engine_host.engine_version), observed_at = now()`
  if (changed && !reachable) await markOpenAttempts(database)
  if (!changed || !reachable) return
  await database.$executeRaw`
    UPDATE operation SET not_before = now()
    WHERE id IN (SELECT id FROM operation WHERE status IN ('QUEUED', 'RUNNING') AND reason = 'ENGINE_UNREACHABLE'
      FOR UPDATE SKIP LOCKED)`
  await database.$executeRaw`
    UPDATE app_env SET due_at = LEAST(due_at, now())
    WHERE id IN (SELECT id FROM app_env WHERE deleted_at IS NULL
        AND (replicas_desired > 0 OR EXISTS (SELECT 1 FROM request_scaling s WHERE s.app_env_id = app_env.id))
      ORDER BY id FOR UPDATE SKIP LOCKED)`
  wake()
}

/**
 * Commands of job runs may end meanwhile, and the engine then tells another exit code than theirs. The worker that
 * watches one may be killed during the outage, so whoever sees it says so for all: a fact, which no lease can be late for.
 */
const markOpenAttempts = (database: Database): Promise<number> =>
  database.$executeRaw`
    UPDATE job_attempt SET engine_was_away = true
    WHERE (run_id, number) IN (SELECT run_id, number FROM job_attempt
      WHERE started_at IS NOT NULL AND finished_at IS NULL AND NOT engine_was_away ORDER BY run_id FOR UPDATE SKIP LOCKED)`
