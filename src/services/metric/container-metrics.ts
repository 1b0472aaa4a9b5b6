import type { Database } from '../../storage/database/client.ts'
import { type AveragedRange, MAX_ALL_POINTS, type SplitAverage, splitColumns } from './averages.ts'
import type { ContainerMetric, MetricSplit } from './metric-fields.ts'

/** What containers used together, at one moment or on the average over a step. */
export interface Use {
  at: Date
  cpu: number
  memory: number
  cpuLimit: number
  memoryLimit: number
}

type SplitUse = Use & Pick<SplitAverage, 'contentId' | 'containerName'>

/** CPU and memory over time: one read, however many of the metrics are wanted. */
export async function containerAverages(
  database: Database,
  appEnvId: string,
  metrics: readonly ContainerMetric[],
  { from, to, seconds }: AveragedRange,
  by: MetricSplit | null,
): Promise<SplitAverage[]> {
  const uses = await database.$queryRaw<SplitUse[]>`
    SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, "contentId", "containerName", avg(cpu)::float8 AS cpu,
      avg(memory)::float8 AS memory, avg(cpu_limit)::float8 AS "cpuLimit", avg(memory_limit)::float8 AS "memoryLimit"
    FROM (SELECT at, ${splitColumns(by)}, sum(cpu_millicores) AS cpu, sum(memory_mb) AS memory, sum(cpu_limit) AS cpu_limit,
        sum(memory_limit) AS memory_limit
      FROM metric_sample
        LEFT JOIN (SELECT id, content_id, name AS container_name FROM container) AS sampled ON sampled.id = container_id
      WHERE app_env_id = ${appEnvId} AND at >= ${from} AND at <= ${to} GROUP BY 1, 2, 3) AS moment
    GROUP BY 1, 2, 3 ORDER BY 1 LIMIT ${MAX_ALL_POINTS + 1}`
  return metrics.flatMap((metric) =>
    uses.map((use) => {
      const { at, contentId, containerName } = use
      return { metric, at, contentId, containerName, value: usedAs(use, metric) }
    }),
  )
}

export function usedAs({ cpu, memory, cpuLimit, memoryLimit }: Use, metric: ContainerMetric): number {
  const values: Record<ContainerMetric, number> = {
    cpu_usage: cpu,
    memory_usage: memory,
    cpu_percent: cpuLimit > 0 ? (100 * cpu) / cpuLimit : 0,
    memory_percent: memoryLimit > 0 ? (100 * memory) / memoryLimit : 0,
  }
  return Math.round(values[metric] * 10) / 10
}
