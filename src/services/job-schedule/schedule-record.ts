import type { JobSchedule } from '../../storage/database/generated/prisma/client.ts'
import { timesOf } from '../schedule/cron-times.ts'
import { jobSchedule } from './job-schedule-fields.ts'

const NEXT_RUNS = 5

/** The schedule as both APIs answer it, with its next times after `now`. */
export function scheduleRecord(schedule: JobSchedule, now: Date) {
  const times = schedule.enabled ? (timesOf(schedule, NEXT_RUNS, now) ?? []) : []
  return jobSchedule.answer.record({ ...schedule, nextRuns: times.map((time) => time.toISOString()) })
}
