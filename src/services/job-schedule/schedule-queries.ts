import { type Caller, permit } from '../../calls/caller.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { JobSchedule } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { timesOf } from '../schedule/cron-times.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { jobSchedule } from './job-schedule-fields.ts'

const NEXT_RUNS = 5

/** The schedule as both APIs answer it, with its next times after `now`. */
export function scheduleRecord(schedule: JobSchedule, now: Date) {
  const times = schedule.enabled ? (timesOf(schedule, NEXT_RUNS, now) ?? []) : []
  return jobSchedule.answer.record({ ...schedule, nextRuns: times.map((time) => time.toISOString()) })
}

/** Throws NOT_FOUND for an environment without a schedule. */
async function findJobSchedule(database: Database, caller: Caller, address: AppEnvAddress) {
  const where = addressOf(address)
  const appEnv = await database.appEnv.findFirst({
    where: { ...where, deletedAt: null },
    select: { id: true, accountId: true, jobSchedule: true },
  })
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  permit(caller, 'jobRun:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
  if (!appEnv.jobSchedule) throw notFound('schedule of the app environment', appEnv.id)
  return scheduleRecord(appEnv.jobSchedule, await databaseTime(database))
}

export const getJobSchedule = recordQuery({
  name: 'getJobSchedule',
  path: '/app-env/job-schedule',
  permission: 'jobRun:read',
  about: 'The schedule on which runs of a job start by themselves, with its next five times.',
  input: appEnvTarget,
  of: jobSchedule,
  find: ({ database, caller }, address) => findJobSchedule(database, caller, address),
  version: ({ revision }) => revision,
})
