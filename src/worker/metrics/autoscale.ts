import type { Config } from '../../config/config.ts'
import { type AutoScaling, decideScaling, type LoadSample, type ScalingDecision } from '../../domain/autoscaling.ts'
import type { Database } from '../../storage/database/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'

interface ScaledRow {
  id: string
  containers: number
  autoScaling: AutoScaling
  now: Date
}

/**
 * Compares the containers of these environments with their load, and records an operation where the number should
 * change.
 */
export async function autoscale(context: WorkerContext, appEnvIds: readonly string[]): Promise<void> {
  for (const row of await scaledAppEnvs(context.database, appEnvIds)) {
    const decision = await decide(context, row)
    if (!decision) continue
    const { why, containers } = decision
    const isBegun = await context.recordScaling({ appEnvId: row.id, from: row.containers, to: containers, why })
    if (isBegun)
      context.log.info(
        { appEnvId: row.id, from: row.containers, to: containers, why },
        'Autoscaling changed the number of containers',
      )
  }
}

const scaledAppEnvs = (database: Database, appEnvIds: readonly string[]): Promise<ScaledRow[]> =>
  database.$queryRaw`
    SELECT e.id, e.replicas_desired AS containers, e.auto_scaling AS "autoScaling", now() AS now
    FROM app_env e JOIN account a ON a.id = e.account_id JOIN plan p ON p.code = a.plan_code
    WHERE e.id = ANY(${[...appEnvIds]}::text[]) AND e.status = 'RUNNING' AND e.deleted_at IS NULL
      AND (e.auto_scaling ->> 'enabled')::boolean AND a.allow_auto_scaling AND p.autoscaling_included`

async function decide({ database, config }: WorkerContext, row: ScaledRow): Promise<ScalingDecision | null> {
  const { autoScaling, containers, now } = row
  const samples = await loadOf(database, row, config)
  return decideScaling(autoScaling, { containers, now, samples, beatSeconds: config.BERTH_METRICS_SECONDS })
}

/** Only since the last operation ended: before that, something else may have run. */
function loadOf(database: Database, { id, autoScaling }: ScaledRow, config: Config): Promise<LoadSample[]> {
  const { upWindowSeconds, downWindowSeconds } = autoScaling
  const seconds = Math.max(upWindowSeconds, downWindowSeconds) + config.BERTH_METRICS_SECONDS
  return database.$queryRaw`
    SELECT at, (100.0 * sum(cpu_millicores) / sum(cpu_limit))::float8 AS "cpuPercent",
      (100.0 * sum(memory_mb) / sum(memory_limit))::float8 AS "memoryPercent"
    FROM metric_sample
    WHERE app_env_id = ${id} AND at > now() - make_interval(secs => ${seconds})
      AND at > coalesce((SELECT max(finished_at) FROM operation WHERE app_env_id = ${id}), '-infinity')
    GROUP BY at HAVING sum(cpu_limit) > 0 AND sum(memory_limit) > 0 ORDER BY at`
}
