import { engineOf } from '../../app-types/behaviours.ts'
import type { EngineMetric } from '../../app-types/engines/engine-metrics.ts'
import type { Database } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { Average, AveragedRange } from './averages.ts'

/** Older values say nothing about now; three rounds at the longest interval. */
const NOW_SECONDS = 900

const COMBINED = { SUM: Prisma.sql`sum`, AVERAGE: Prisma.sql`avg`, MAX: Prisma.sql`max` } as const

const combinedSql = ({ name, combined }: EngineMetric) =>
  Prisma.sql`${COMBINED[combined]}((measured ->> ${name})::float8)::float8`

/** What the engine reported over time. */
export async function serviceAverages(
  database: Database,
  id: string,
  app: { dockerPreset: string },
  name: string,
  { from, to, seconds }: AveragedRange,
): Promise<Average[]> {
  const metric = engineOf(app)?.metrics.series.find((one) => one.name === name)
  if (!metric) return []
  return database.$queryRaw<Average[]>`
    SELECT date_bin(make_interval(secs => ${seconds}), at, 'epoch') AS at, avg(value)::float8 AS value
    FROM (SELECT at, ${combinedSql(metric)} AS value FROM service_sample
      WHERE app_env_id = ${id} AND at >= ${from} AND at <= ${to} AND measured ? ${name} GROUP BY at) AS moment
    GROUP BY 1 ORDER BY 1`
}

interface Sampled {
  at: Date
  containerId: number
  values: Record<string, number>
}

/** Every series of the preset with its latest value, of the containers that run now. */
export async function latestOfService(database: Database, { id, app }: { id: string; app: { dockerPreset: string } }) {
  const engine = engineOf(app)
  if (!engine) return []
  const samples = await database.$queryRaw<Sampled[]>`
    SELECT DISTINCT ON (container_id) at, container_id AS "containerId", measured AS "values" FROM service_sample s
    WHERE app_env_id = ${id} AND at > now() - make_interval(secs => ${NOW_SECONDS})
      AND EXISTS (SELECT 1 FROM container c WHERE c.id = s.container_id AND c.removed_at IS NULL AND c.phase = 'running')
    ORDER BY container_id, at DESC`
  const newest = samples.map(({ at }) => at).sort((one, other) => other.getTime() - one.getTime())[0]
  return engine.metrics.series.map((metric) => {
    const { name, unit, description } = metric
    const value = combine(
      metric,
      samples.flatMap(({ values }) => values[name] ?? []),
    )
    return { name, unit, description, value, updatedAt: value === null ? null : (newest?.toISOString() ?? null) }
  })
}

function combine({ combined }: EngineMetric, values: readonly number[]): number | null {
  if (values.length === 0) return null
  if (combined === 'MAX') return Math.max(...values)
  const sum = values.reduce((total, value) => total + value, 0)
  return combined === 'SUM' ? sum : sum / values.length
}
