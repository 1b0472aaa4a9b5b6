import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import {
  BUILD_LIMIT_NAMES,
  BUILD_LIMITS,
  type BuildLimit,
  buildResourcesOf,
  changedBuildResources,
  maxBuildLimits,
} from '../../domain/build-resources.ts'
import { type FieldProblem, invalidInput } from '../../domain/errors.ts'
import type { Plan } from '../../storage/database/generated/prisma/client.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import { requireWithinPlan } from './plan-limits.ts'

const limit = (name: BuildLimit, number: z.ZodNumber, about: string) =>
  number.min(BUILD_LIMITS[name].min).max(BUILD_LIMITS[name].max).nullable().optional().describe(about)

/** On an app or a plan. */
export const buildResources = z
  .strictObject({
    cpu: limit('cpu', z.number(), 'CPU of one build, in zCPU. Null: the default.'),
    memoryMb: limit('memoryMb', z.number().int(), 'Memory of one build, in MB. Null: the default.'),
    diskMb: limit('diskMb', z.number().int(), 'Disk space that one build may write, in MB. Null: the default.'),
    timeoutSeconds: limit(
      'timeoutSeconds',
      z.number().int(),
      'Time in which one build must end, in seconds. Null: the default.',
    ),
  })
  .describe('Limits of one build. Omitted ones stay as they are.')

type Columns = Pick<Plan, 'name' | 'buildResources' | 'maxBuildResources'>

/** Throws FORBIDDEN when an app would ask for more than its plan allows, and than it has already. */
export function requireBuildResourcesWithinPlan(
  wanted: unknown,
  present: unknown,
  { plan, config }: { plan: Columns; config: Config },
): void {
  const most = maxBuildLimits(plan, config)
  const [next, before] = [buildResourcesOf(wanted), buildResourcesOf(present)]
  for (const name of BUILD_LIMIT_NAMES) {
    const count = next[name]
    if (count === null || count <= (before[name] ?? 0)) continue
    const key = `maxBuildResources.${name}` as const
    requireWithinPlan({ name: plan.name, [key]: most[name] }, key, { field: `buildResources.${name}`, count })
  }
}

type OfPlan = Pick<Plan, 'buildResources' | 'maxBuildResources'>
type Sent = { [Column in keyof OfPlan]?: Parameters<typeof changedBuildResources>[1] | undefined }

/** The columns of a plan once this has been set. Throws INVALID_INPUT. */
export function buildColumns(present: OfPlan | null, sent: Sent) {
  const after = (column: keyof OfPlan) =>
    sent[column] === undefined ? (present?.[column] ?? null) : changedBuildResources(present?.[column], sent[column])
  const columns = { buildResources: after('buildResources'), maxBuildResources: after('maxBuildResources') }
  const problems = contradictions(columns)
  if (problems.length > 0) throw invalidInput(problems)
  return {
    buildResources: jsonOrNull(columns.buildResources),
    maxBuildResources: jsonOrNull(columns.maxBuildResources),
  }
}

/** What a plan gives by default cannot be more than the most that it allows. */
export function contradictions(plan: { buildResources: unknown; maxBuildResources: unknown }): FieldProblem[] {
  const [fallback, most] = [buildResourcesOf(plan.buildResources), buildResourcesOf(plan.maxBuildResources)]
  return BUILD_LIMIT_NAMES.flatMap((name) => {
    const [count, allowed] = [fallback[name], most[name]]
    if (count === null || allowed === null || count <= allowed) return []
    return [{ field: `buildResources.${name}`, message: `must be at most maxBuildResources.${name}, ${allowed}` }]
  })
}
