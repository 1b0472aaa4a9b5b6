import { z } from 'zod'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { JobSchedule } from '../../storage/database/generated/prisma/client.ts'

const field = fieldsOf<JobSchedule & { nextRuns: string[] }>()

export const jobSchedule = resource({
  name: 'JobSchedule',
  id: 'JobSchedule',
  description: 'Schedule on which runs of an environment start automatically.',
  examples: {
    scheduleId: exampleId('sch'),
    cron: '*/15 * * * *',
    timeZone: 'Europe/Berlin',
    catchUp: true,
    nextRuns: [EXAMPLE_TIME],
  },
  fields: {
    scheduleId: field.column('id', text, 'Id of the schedule.'),
    appEnvId: field.column('appEnvId', text, 'Id of the environment whose runs the schedule starts.'),
    cron: field.column('cron', text, 'Times as a cron expression: minute, hour, day of the month, month, weekday.'),
    timeZone: field.column('timeZone', text, 'Time zone of the cron expression, as IANA names it.'),
    enabled: field.column('enabled', flag, 'Whether the schedule starts runs.'),
    catchUp: field.column('catchUp', flag, 'Whether one run makes up for all times that passed while no worker ran.'),
    revision: field.column('revision', whole, 'Number that grows with every change of the schedule.'),
    nextRuns: field.given('nextRuns', z.array(time), 'The next five times; none while the schedule is disabled.'),
    createdAt: field.column('createdAt', time, 'Time at which the schedule was created.'),
    updatedAt: field.column('updatedAt', time, 'Time at which the schedule was last changed.'),
  },
})
