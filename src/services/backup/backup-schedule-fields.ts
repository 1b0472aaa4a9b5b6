import { fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'

interface Scheduled {
  cron: string
  timeZone: string
  keepCount: number
  keepDays: number
  storage: string
  pointInTime: boolean
}

const field = fieldsOf<Scheduled>()

/** How `backupSchedule` was set. */
export const backupSchedule = resource({
  name: 'BackupSchedule',
  id: 'BackupSchedule',
  description: 'Schedule of the backups of a managed service, and how long they are kept.',
  fields: {
    cron: field.column('cron', text, 'Times of the backups: minute, hour, day of the month, month, weekday.'),
    timeZone: field.column('timeZone', text, 'IANA time zone of the times.'),
    keepCount: field.column('keepCount', whole, 'Number of scheduled backups that are kept.'),
    keepDays: field.column('keepDays', whole, 'Days after which a scheduled backup is deleted.'),
    storage: field.column('storage', text, 'Storage of the backups: LOCAL, or the id of a credential.'),
    pointInTime: field.column('pointInTime', flag, 'Whether the log of changes is stored too.'),
  },
})
