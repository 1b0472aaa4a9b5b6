import { z } from 'zod'
import { runsOf } from '../../app-types/behaviours.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict, DomainError, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'
import { cronExpression, nextTime, timeZoneName } from '../schedule/cron-times.ts'
import { type AppEnvAddress, type AppEnvTarget, lockAppEnv } from '../targets/load-app-env.ts'
import { jobSchedule } from './job-schedule-fields.ts'
import { scheduleRecord } from './schedule-queries.ts'

const revision = z
  .int()
  .min(0)
  .optional()
  .describe('Revision of the schedule that you have read, 0 for none; the call is refused when it has changed since.')

/** The environment, locked, whose version is here the revision of its schedule: 0 while it has none. */
async function lockSchedule(context: CommandContext, address: AppEnvAddress) {
  const target: AppEnvTarget = await lockAppEnv(context.tx, address)
  const schedule = await context.tx.jobSchedule.findUnique({ where: { appEnvId: target.appEnv.id } })
  return { ...target, version: schedule?.revision ?? 0, schedule }
}

function requireRevision(present: number, expected: number | undefined): void {
  if (expected === undefined || expected === present) return
  const message = `The schedule is at revision ${present}, not ${expected}: read it again and repeat`
  throw new DomainError('PRECONDITION_FAILED', 'VERSION_MISMATCH', message)
}

export const setJobSchedule = command({
  name: 'setJobSchedule',
  rest: { method: 'PUT', path: '/app-env/job-schedule', answer: jobSchedule.answer },
  versioned: true,
  about: 'Set the schedule on which runs of a job start automatically. It takes effect at once.',
  example: { request: { cron: '*/15 * * * *', timeZone: 'Europe/Berlin' } },
  input: z.strictObject({
    ...appEnvTarget,
    cron: cronExpression('*/15 * * * *').describe('Times: minute, hour, day of the month, month, weekday.'),
    timeZone: timeZoneName,
    enabled: z.boolean().default(true).describe('Whether the schedule starts runs.'),
    catchUp: z
      .boolean()
      .default(true)
      .describe('Whether one run makes up for all times that passed while no worker ran.'),
    revision,
  }),
  permission: 'jobSchedule:change',
  target: lockSchedule,
  async execute(context, { cron, timeZone, enabled, catchUp, revision }, { appEnv, schedule, version }) {
    const { tx, announce, auditDetails } = context
    const runs = runsOf(appEnv.app, { typeConfig: null, startup: null })
    if (!runs || runs.needsCommand)
      throw conflict('NO_RUNS', 'Apps of this type have no default job run that a schedule could start')
    requireRevision(version, revision)
    const now = await databaseTime(tx)
    const nextAt = enabled ? nextTime({ cron, timeZone }, now) : null
    const set = { cron, timeZone, enabled, catchUp, nextAt }
    const row = schedule
      ? await tx.jobSchedule.update({ where: { id: schedule.id }, data: { ...set, revision: { increment: 1 } } })
      : await tx.jobSchedule.create({
          data: { id: newId('sch'), accountId: appEnv.accountId, appEnvId: appEnv.id, ...set },
        })
    if (!schedule) context.created(row.id)
    announce({
      type: 'jobSchedule.changed',
      appId: appEnv.appId,
      appEnvId: appEnv.id,
      payload: { cron, timeZone, enabled, revision: row.revision },
    })
    await notifyRuns(tx, appEnv.id)
    auditDetails({ cron, timeZone, enabled, catchUp, revision: row.revision })
    return { ...scheduleRecord(row, now), recordVersion: row.revision }
  },
})

export const deleteJobSchedule = command({
  name: 'deleteJobSchedule',
  rest: { method: 'DELETE', path: '/app-env/job-schedule', answer: messageAnswer },
  versioned: true,
  about: 'Delete the schedule of a job. Runs that it has started continue.',
  example: { answer: { message: 'The schedule of "default-shop-production" is deleted' } },
  input: z.strictObject({ ...appEnvTarget, revision }),
  permission: 'jobSchedule:change',
  target: lockSchedule,
  async execute({ tx, announce, auditDetails }, { revision }, { appEnv, schedule, version }) {
    if (!schedule) throw notFound('schedule of the app environment', appEnv.id)
    requireRevision(version, revision)
    await tx.jobSchedule.delete({ where: { id: schedule.id } })
    announce({
      type: 'jobSchedule.changed',
      appId: appEnv.appId,
      appEnvId: appEnv.id,
      payload: { enabled: false, revision: null },
    })
    auditDetails({ cron: schedule.cron, timeZone: schedule.timeZone })
    return { message: `The schedule of "${appEnv.cliEnvName}" is deleted` }
  },
})
