import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { type EngineScope, isOnEngine } from '../scope/engine-scope.ts'
import type { EngineHealth } from './engine-health.ts'

const REGION = Prisma.sql`e.region_code`

/**
 * Records whether the engine is reachable, for each of its regions. When it is back after an outage, makes everything that waited for it due:
 * containers may have ended without an event, and those that slept may run.
 */
export async function recordEngine(
  database: Database,
  engineHealth: EngineHealth,
  changed: boolean,
  wake: () => void,
  scope: EngineScope,
): Promise<void> {
  const reachable = engineHealth.reachable === true
  const { name = 'Container engine', version = null } = engineHealth.info ?? {}
  await database.$executeRaw`
    INSERT INTO engine_host (id, region_code, name, engine_version, reachable, reason, observed_at)
    SELECT code, code, ${name}, ${version}, ${reachable}, ${engineHealth.reason}, now() FROM region
    WHERE ${isOnEngine(Prisma.sql`code`, scope)} ORDER BY code
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, reachable = excluded.reachable, reason = excluded.reason,
      engine_version = coalesce(excluded.engine_version, engine_host.engine_version), observed_at = now()`
  if (changed && !reachable) await markOpenAttempts(database, scope)
  if (!changed || !reachable) return
  await database.$executeRaw`
    UPDATE operation SET not_before = now()
    WHERE id IN (SELECT o.id FROM operation o JOIN app_env e ON e.id = o.app_env_id
      WHERE o.status IN ('QUEUED', 'RUNNING') AND o.reason = 'ENGINE_UNREACHABLE' AND ${isOnEngine(REGION, scope)}
      FOR UPDATE OF o SKIP LOCKED)`
  await database.$executeRaw`
    UPDATE app_env SET due_at = LEAST(due_at, now())
    WHERE id IN (SELECT e.id FROM app_env e WHERE e.deleted_at IS NULL AND ${isOnEngine(REGION, scope)}
        AND (e.replicas_desired > 0 OR EXISTS (SELECT 1 FROM request_scaling s WHERE s.app_env_id = e.id))
      ORDER BY e.id FOR UPDATE SKIP LOCKED)`
  wake()
}

/**
 * Commands of job runs may end meanwhile, and the engine then reports another exit code than theirs. The worker
 * that watches one may be killed during the outage, so any worker that sees the outage records it for all runs. It is a
 * fact, so no lease is needed.
 */
const markOpenAttempts = (database: Database, scope: EngineScope): Promise<number> =>
  database.$executeRaw`
    UPDATE job_attempt SET engine_was_away = true
    WHERE (run_id, number) IN (SELECT a.run_id, a.number
      FROM job_attempt a JOIN job_run r ON r.id = a.run_id JOIN app_env e ON e.id = r.app_env_id
      WHERE a.started_at IS NOT NULL AND a.finished_at IS NULL AND NOT a.engine_was_away AND ${isOnEngine(REGION, scope)}
      ORDER BY a.run_id FOR UPDATE OF a SKIP LOCKED)`
