import { percentileMs } from '../../domain/duration-histogram.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Average, AveragedRange } from './averages.ts'
import { DURATION_PARTS, isDurationMetric, type RequestMetric } from './metric-fields.ts'

/** What ended within one step, in all ingress processes. */
interface Step {
  at: Date
  invocations: number
  errors: number
  queuedMs: number
  coldFrozen: number
  coldStopped: number
  coldNone: number
}

const COUNTED: Partial<Record<RequestMetric, keyof Omit<Step, 'at'>>> = {
  invocations: 'invocations',
  invocation_errors: 'errors',
  cold_starts_frozen: 'coldFrozen',
  cold_starts_stopped: 'coldStopped',
  cold_starts_none: 'coldNone',
}

/** The requests of an environment that is scaled by them, over time. */
export async function requestAverages(
  database: Database,
  id: string,
  metric: RequestMetric,
  range: AveragedRange,
): Promise<Average[]> {
  if (metric === 'containers') return containersOf(database, id, range)
  if (isDurationMetric(metric)) return percentiles(database, id, DURATION_PARTS[metric], range)
  const steps = await stepsOf(database, id, range)
  const counted = COUNTED[metric]
  if (counted) return steps.map((step) => ({ at: step.at, value: (step[counted] * 60) / range.seconds }))
  return steps
    .filter(({ invocations }) => invocations > 0)
    .map(({ at, queuedMs, invocations }) => ({ at, value: queuedMs / invocations }))
}

const stepsOf = (database: Database, id: string, { from, to, seconds }: AveragedRange) => database.$queryRaw<Step[]>`
  SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, sum(invocations)::float8 AS invocations,
    sum(errors)::float8 AS errors, sum(queued_ms)::float8 AS "queuedMs", sum(cold_frozen)::float8 AS "coldFrozen",
    sum(cold_stopped)::float8 AS "coldStopped", sum(cold_none)::float8 AS "coldNone"
  FROM request_sample WHERE app_env_id = ${id} AND at >= ${from} AND at <= ${to} GROUP BY 1 ORDER BY 1`

async function percentiles(
  database: Database,
  id: string,
  part: number,
  { from, to, seconds }: AveragedRange,
): Promise<Average[]> {
  const rows = await database.$queryRaw<{ at: Date; counts: number[] }[]>`
    SELECT at, array_agg(count ORDER BY step) AS counts FROM (
      SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, step, sum(count)::float8 AS count
      FROM request_sample, unnest(durations) WITH ORDINALITY AS counted(count, step)
      WHERE app_env_id = ${id} AND at >= ${from} AND at <= ${to} GROUP BY 1, step) AS summed
    GROUP BY at ORDER BY at`
  return rows.flatMap(({ at, counts }) => {
    const value = percentileMs(counts, part)
    return value === null ? [] : [{ at, value }]
  })
}

/** As they were measured: of none, nothing is. */
const containersOf = (database: Database, id: string, { from, to, seconds }: AveragedRange) => database.$queryRaw<
  Average[]
>`
  SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, avg(containers)::float8 AS value
  FROM (SELECT at, count(*) AS containers FROM metric_sample
    WHERE app_env_id = ${id} AND at >= ${from} AND at <= ${to} GROUP BY at) AS moment
  GROUP BY 1 ORDER BY 1`
