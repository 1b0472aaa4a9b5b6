import { Cron } from 'croner'
import { z } from 'zod'

const MAX_CRON = 100
const FIELDS = 5

export interface Clock {
  cron: string
  timeZone: string
}

/** Null where the expression cannot be read, or never comes true. */
export function timesOf({ cron, timeZone }: Clock, number: number, after?: Date): Date[] | null {
  try {
    const times = new Cron(cron, { timezone: timeZone }).nextRuns(number, after)
    return times.length > 0 ? times : null
  } catch {
    return null
  }
}

export const nextTime = (clock: Clock, after: Date): Date | null => timesOf(clock, 1, after)?.[0] ?? null

/** The latest time that has come by then. */
export function latestTime({ cron, timeZone }: Clock, now: Date): Date | null {
  // The library counts in seconds, and leaves out the reference itself.
  const times = new Cron(cron, { timezone: timeZone }).previousRuns(2, new Date(now.getTime() + 1000))
  return times.find((time) => time <= now) ?? null
}

/** `example` is one that suits what is scheduled. */
export const cronExpression = (example: string) =>
  z
    .string()
    .max(MAX_CRON)
    .refine((cron) => cron.trim().split(/\s+/).length === FIELDS && timesOf({ cron, timeZone: 'UTC' }, 1) !== null, {
      error: `must be a cron expression of five fields (minute, hour, day, month, weekday), such as ${example}`,
      abort: true,
    })

export const timeZoneName = z
  .string()
  .max(100)
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin or UTC')
  .default('UTC')
  .describe('Time zone of the cron expression, as IANA names it.')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}
