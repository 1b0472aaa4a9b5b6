import { Cron } from 'croner'
import { z } from 'zod'

const LONGEST_CRON = 100
/** A service that is backed up all the time serves nobody. */
const SHORTEST_PAUSE_MS = 3_600_000
const TIMES_COMPARED = 50

export const backupSchedule = z
  .strictObject({
    cron: z
      .string()
      .max(LONGEST_CRON)
      .refine((cron) => cron.trim().split(/\s+/).length === 5 && timesOf({ cron, timeZone: 'UTC' }, 1) !== null, {
        error: 'must be a cron expression of five fields (minute, hour, day, month, weekday), such as 0 3 * * *',
        abort: true,
      })
      .refine(isRareEnough, 'must leave at least an hour between two backups')
      .describe('Times of the backups: minute, hour, day of the month, month, weekday. At most once an hour.'),
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin or UTC')
      .default('UTC')
      .describe('Time zone of the cron expression, as IANA names it.'),
    keepCount: z.int().min(1).max(1000).default(7).describe('Number of scheduled backups that are kept.'),
    keepDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe('Days after which a scheduled backup is deleted; the newest verified one is kept.'),
    storage: z
      .string()
      .min(1)
      .max(100)
      .default('LOCAL')
      .describe('Storage of the backups: LOCAL, or the id of an OBJECT_STORAGE credential.'),
    pointInTime: z
      .boolean()
      .default(false)
      .describe(
        'Whether the log of changes is stored too, so that scheduled backups can be restored to any moment since. Only some engines can.',
      ),
  })
  .describe('Schedule of the backups of a managed service, and how long they are kept; null for none.')

export type BackupSchedule = z.output<typeof backupSchedule>

interface Clock {
  cron: string
  timeZone: string
}

/** Null where the expression cannot be read, or never comes true. */
function timesOf({ cron, timeZone }: Clock, number: number, after?: Date): Date[] | null {
  try {
    const times = new Cron(cron, { timezone: timeZone }).nextRuns(number, after)
    return times.length > 0 ? times : null
  } catch {
    return null
  }
}

export const nextTime = (schedule: Clock, after: Date): Date | null => timesOf(schedule, 1, after)?.[0] ?? null

function isRareEnough(cron: string): boolean {
  const times = timesOf({ cron, timeZone: 'UTC' }, TIMES_COMPARED) ?? []
  return times.every(
    (time, index) => index === 0 || time.getTime() - (times[index - 1]?.getTime() ?? 0) >= SHORTEST_PAUSE_MS,
  )
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}
