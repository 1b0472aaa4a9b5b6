import type { Logger } from 'pino'
import type { CommandContext } from '../../calls/command.ts'
import { DomainError } from '../../domain/errors.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { addJobRun, runnable } from '../job-run/new-job-run.ts'
import { type Clock, latestTime, nextTime } from '../schedule/cron-times.ts'
import { asSystem, type SystemTools } from '../system/as-system.ts'
import { eachAppEnv, RETRY_SECONDS } from '../system/each-app-env.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

interface Tools extends SystemTools {
  log: Logger
}

/** The actor of runs that a schedule started. */
const SCHEDULE = 'job-schedule'
const AT_ONCE = 50
/** A time that is this late was missed: no worker ran. */
const MISSED_AFTER_MS = 60_000

/**
 * Starts the runs that schedules ask for, once for each time, with any number of workers: the environment is locked, the
 * next time is set in the same transaction, and a time has one run at most. Returns the seconds until the
 * next time of any schedule, by the database's clock.
 */
export async function beginDueJobRuns(tools: Tools): Promise<number | null> {
  const due = await tools.database.$queryRaw<{ appEnvId: string }[]>`
    SELECT app_env_id AS "appEnvId" FROM job_schedule WHERE next_at <= now() ORDER BY next_at LIMIT ${AT_ONCE}`
  await eachAppEnv(
    due.map(({ appEnvId }) => appEnvId),
    {
      log: tools.log,
      what: 'Starting a scheduled job run',
      begin: (appEnvId) => asSystem(tools, appEnvId, SCHEDULE, beginRun),
      postpone: (appEnvId) => tools.database.$executeRaw`
        UPDATE job_schedule SET next_at = now() + make_interval(secs => ${RETRY_SECONDS})
        WHERE app_env_id = ${appEnvId} AND next_at <= now()`,
    },
  )
  const [next] = await tools.database.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM min(next_at) - now())::float8 AS seconds FROM job_schedule`
  return next?.seconds ?? null
}

async function beginRun(context: CommandContext, appEnv: LoadedAppEnv) {
  const { tx } = context
  const appEnvId = appEnv.id
  const schedule = await tx.jobSchedule.findUnique({ where: { appEnvId } })
  const now = await databaseTime(tx)
  // Found by another worker too.
  if (!schedule?.nextAt || schedule.nextAt > now) return null
  const { id, nextAt } = schedule
  await tx.jobSchedule.update({ where: { id }, data: { nextAt: nextTime(schedule, now) } })
  const scheduledFor = timeToRun(schedule, nextAt, now)
  if (!scheduledFor) return null
  const runs = await orNothing(runnable(context, appEnv))
  if (!runs || (await tx.jobRun.count({ where: { appEnvId, scheduledFor } })) > 0) return null
  const snapshot = { ...runs.settings, envVars: [] }
  const asked = { content: runs.content, snapshot, stdin: null, trigger: 'SCHEDULE' as const, scheduledFor }
  const { id: targetId } = await addJobRun(context, appEnv, asked)
  const details = { appEnvId, cron: schedule.cron, scheduledFor: scheduledFor.toISOString() }
  return { action: 'scheduledJobRun', targetType: 'jobRun', targetId, details }
}

/** The latest time that has passed: one run makes up for all that were missed, unless the schedule wants none. */
export function timeToRun(schedule: Clock & { catchUp: boolean }, first: Date, now: Date): Date | null {
  const latest = latestTime(schedule, now) ?? first
  return schedule.catchUp || now.getTime() - latest.getTime() < MISSED_AFTER_MS ? latest : null
}

/** Stopped, or never deployed: the schedule pauses. */
async function orNothing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
