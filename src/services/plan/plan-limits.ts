import type { CommandContext } from '../../calls/command.ts'
import { BUILD_LIMITS } from '../../domain/build-resources.ts'
import { DomainError } from '../../domain/errors.ts'
import { monthOf } from '../../domain/month.ts'
import type { Plan } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** What a plan limits by a number, in the words of a refusal. */
const LIMITS = {
  maxApps: 'apps in an account',
  maxAppEnvs: 'environments of an app',
  maxContainers: 'containers of an environment',
  maxZClouds: 'zClouds for a container',
  maxBuildMinutes: 'minutes of builds in a month',
  'maxBuildResources.cpu': BUILD_LIMITS.cpu.words,
  'maxBuildResources.memoryMb': BUILD_LIMITS.memoryMb.words,
  'maxBuildResources.diskMb': BUILD_LIMITS.diskMb.words,
  'maxBuildResources.timeoutSeconds': BUILD_LIMITS.timeoutSeconds.words,
} as const

export type PlanLimit = keyof typeof LIMITS

export interface Wanted {
  /** The field that asks for it. */
  field: string
  count: number
}

/** Throws FORBIDDEN, and names the limit, when a call wants more than the plan allows. */
export function requireWithinPlan(
  plan: Pick<Plan, 'name'> & Partial<Record<PlanLimit, number>>,
  limit: PlanLimit,
  { field, count }: Wanted,
): void {
  const most = plan[limit]
  if (most === undefined || count <= most) return
  throw beyondPlan(
    field,
    `The plan ${plan.name} allows ${most} ${LIMITS[limit]} (${limit}), and this would be ${count}`,
  )
}

export const beyondPlan = (field: string, message: string): DomainError =>
  new DomainError('FORBIDDEN', 'PLAN_LIMIT', message, { fields: [{ field, message }] })

/**
 * Throws FORBIDDEN when the builds of the account have used up what its plan allows in a month. Builds that were accepted
 * before end as they would: each has a time limit of its own.
 */
export async function requireBuildMinutes({ tx }: CommandContext, { account }: LoadedAppEnv): Promise<void> {
  const { from, to } = monthOf(await databaseTime(tx))
  const [used] = await tx.$queryRaw<{ minutes: number }[]>`
    SELECT floor(coalesce(sum(extract(epoch FROM least(until, ${to}::timestamptz)
      - greatest(started_at, ${from}::timestamptz))), 0) / 60)::int AS minutes
    FROM usage_interval
    WHERE account_id = ${account.id} AND kind = 'BUILD' AND until > ${from}::timestamptz AND started_at < ${to}::timestamptz`
  requireWithinPlan(account.plan, 'maxBuildMinutes', { field: 'appEnvId', count: (used?.minutes ?? 0) + 1 })
}
