import type { JobSchedule } from '../../database/generated/prisma/client.ts'
import { jobSchedule } from '../../resources/job-schedule.ts'
import { timesOf } from '../schedule/cron-times.ts'

const NEXT_RUNS = 5

/** The schedule as both APIs answer it, with its next times after `now`. */
export function scheduleRecord(schedule: JobSchedule, now: Date) {
  const times = schedule.enabled ? (timesOf(schedule, NEXT_RUNS, now) ?? []) : []
  return jobSchedule.answer.record({ ...schedule, nextRuns: times.map((time) => time.toISOString()) })
}
