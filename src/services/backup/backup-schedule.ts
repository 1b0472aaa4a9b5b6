import { z } from 'zod'
import { cronExpression, timesOf, timeZoneName } from '../schedule/cron-times.ts'

/** A service that is backed up all the time serves no clients. */
const MIN_PAUSE_MS = 3_600_000
const TIMES_COMPARED = 50

export const backupSchedule = z
  .strictObject({
    cron: cronExpression('0 3 * * *')
      .refine(isRareEnough, 'must leave at least an hour between two backups')
      .describe('Times of the backups: minute, hour, day of the month, month, weekday. At most once an hour.'),
    timeZone: timeZoneName,
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

function isRareEnough(cron: string): boolean {
  const times = timesOf({ cron, timeZone: 'UTC' }, TIMES_COMPARED) ?? []
  return times.every(
    (time, index) => index === 0 || time.getTime() - (times[index - 1]?.getTime() ?? 0) >= MIN_PAUSE_MS,
  )
}
