import type { CommandContext } from '../../calls/command.ts'
import { monthOf } from '../../domain/month.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { requireWithinPlan } from './plan-limits.ts'

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
