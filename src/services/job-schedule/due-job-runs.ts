import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/client.ts'
import { databaseTime } from '../../database/time.ts'
import { DomainError } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { NewEvent } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import type { Vault } from '../../secrets/vault.ts'
import { runnable } from '../job-run/job-run-rules.ts'
import { addJobRun } from '../job-run/new-job-run.ts'
import type { CommandContext } from '../kernel/command.ts'
import { nobody } from '../lifecycle/autoscale-app-env.ts'
import { type Clock, latestTime, nextTime } from '../schedule/cron-times.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'

interface Tools {
  database: Database
  config: Config
  vault: Vault
}

/** The actor of runs that a schedule started. */
const SCHEDULE = 'job-schedule'
const AT_ONCE = 50
/** A time that is this late was missed: no worker ran. */
const MISSED_AFTER_MS = 60_000

/**
 * Starts the runs that schedules ask for, once for each time however many workers look: the environment is locked, the
 * next time is set in the same transaction, and a time has one run at most. Returns the seconds until the
 * next time of any schedule, by the database's clock.
 */
export async function beginDueJobRuns(tools: Tools): Promise<number | null> {
  const due = await tools.database.$queryRaw<{ appEnvId: string }[]>`
    SELECT app_env_id AS "appEnvId" FROM job_schedule WHERE next_at <= now() ORDER BY next_at LIMIT ${AT_ONCE}`
  for (const { appEnvId } of due) await beginRun(tools, appEnvId)
  const [next] = await tools.database.$queryRaw<{ seconds: number | null }[]>`
    SELECT extract(epoch FROM min(next_at) - now())::float8 AS seconds FROM job_schedule`
  return next?.seconds ?? null
}

async function beginRun({ database, config, vault }: Tools, appEnvId: string): Promise<void> {
  const requestId = newId('op')
  await database.$transaction(async (tx) => {
    // Deleted since it was found, or found by another worker too.
    const appEnv = (await lockAppEnv(tx, { appEnvId }).catch(() => null))?.appEnv
    const schedule = appEnv && (await tx.jobSchedule.findUnique({ where: { appEnvId } }))
    const now = await databaseTime(tx)
    if (!appEnv || !schedule?.nextAt || schedule.nextAt > now) return
    const { id, nextAt } = schedule
    await tx.jobSchedule.update({ where: { id }, data: { nextAt: nextTime(schedule, now) } })
    const scheduledFor = timeToRun(schedule, nextAt, now)
    if (!scheduledFor) return
    const events: NewEvent[] = []
    const context: CommandContext = {
      ...{ tx, caller: nobody(SCHEDULE), requestId, config, vault, prepared: null },
      ...{ auditDetails() {}, created() {}, async permitOperation() {} },
      announce: (event) => void events.push(event),
    }
    const runs = await orNothing(runnable(context, appEnv))
    if (!runs || (await tx.jobRun.count({ where: { appEnvId, scheduledFor } })) > 0) return
    const snapshot = { ...runs.settings, envVars: [] }
    const asked = { content: runs.content, snapshot, stdin: null, trigger: 'SCHEDULE' as const, scheduledFor }
    const run = await addJobRun(context, appEnv, asked)
    const entry = {
      ...{ action: 'scheduledJobRun', actorType: 'SYSTEM' as const, actorId: null, tokenId: null },
      ...{ targetType: 'jobRun', targetId: run.id, requestId },
      details: { appEnvId, cron: schedule.cron, scheduledFor: scheduledFor.toISOString() },
    }
    await record(tx, appEnv.accountId, events, { entry, heads: vault })
  })
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
