import { percentileMs } from '../../domain/duration-histogram.ts'
import type { Database } from '../../storage/database/client.ts'
import { type AveragedRange, MAX_ALL_POINTS, type SplitAverage, splitColumns } from './averages.ts'
import {
  DURATION_PARTS,
  type DurationMetric,
  isDurationMetric,
  type MetricSplit,
  type TrafficMetric,
} from './metric-fields.ts'

type CountedMetric = Exclude<TrafficMetric, DurationMetric>

interface Key {
  at: Date
  contentId: string | null
  containerName: string | null
}

type Step = Key & Record<CountedMetric, number>

/** The requests to a web app over time: however many metrics are wanted, one read for counts and one for durations. */
export async function trafficAverages(
  database: Database,
  appEnvId: string,
  metrics: readonly TrafficMetric[],
  range: AveragedRange,
  by: MetricSplit | null,
): Promise<SplitAverage[]> {
  const durations = metrics.filter(isDurationMetric)
  const counts = metrics.filter((metric): metric is CountedMetric => !isDurationMetric(metric))
  return [
    ...(counts.length > 0 ? await counted(database, appEnvId, counts, range, by) : []),
    ...(durations.length > 0 ? await percentiles(database, appEnvId, durations, range, by) : []),
  ]
}

async function counted(
  database: Database,
  appEnvId: string,
  metrics: readonly CountedMetric[],
  { from, to, seconds }: AveragedRange,
  by: MetricSplit | null,
): Promise<SplitAverage[]> {
  const steps = await database.$queryRaw<Step[]>`
    SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, ${splitColumns(by)},
      sum(status_1xx + status_2xx + status_3xx + status_4xx + status_5xx + aborted)::float8 AS requests,
      sum(status_1xx)::float8 AS requests_1xx, sum(status_2xx)::float8 AS requests_2xx, sum(status_3xx)::float8 AS requests_3xx,
      sum(status_4xx)::float8 AS requests_4xx, sum(status_5xx)::float8 AS requests_5xx, sum(aborted)::float8 AS requests_aborted,
      sum(bytes_in)::float8 AS bytes_in, sum(bytes_out)::float8 AS bytes_out
    FROM traffic_sample WHERE app_env_id = ${appEnvId} AND at >= ${from} AND at <= ${to}
    GROUP BY 1, 2, 3 ORDER BY 1 LIMIT ${MAX_ALL_POINTS + 1}`
  return metrics.flatMap((metric) =>
    steps.map(({ at, contentId, containerName, [metric]: sum }) => {
      return { metric, at, contentId, containerName, value: (sum * 60) / seconds }
    }),
  )
}

async function percentiles(
  database: Database,
  appEnvId: string,
  metrics: readonly DurationMetric[],
  { from, to, seconds }: AveragedRange,
  by: MetricSplit | null,
): Promise<SplitAverage[]> {
  const rows = await database.$queryRaw<(Key & { counts: number[] })[]>`
    SELECT at, "contentId", "containerName", array_agg(count ORDER BY step) AS counts FROM (
      SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, ${splitColumns(by)}, step, sum(count)::float8 AS count
      FROM traffic_sample, unnest(durations) WITH ORDINALITY AS counted(count, step)
      WHERE app_env_id = ${appEnvId} AND at >= ${from} AND at <= ${to} GROUP BY 1, 2, 3, step) AS summed
    GROUP BY 1, 2, 3 ORDER BY 1 LIMIT ${MAX_ALL_POINTS + 1}`
  return metrics.flatMap((metric) =>
    rows.flatMap(({ counts, ...key }) => {
      const value = percentileMs(counts, DURATION_PARTS[metric])
      return value === null
        ? []
        : [{ metric, at: key.at, contentId: key.contentId, containerName: key.containerName, value }]
    }),
  )
}
