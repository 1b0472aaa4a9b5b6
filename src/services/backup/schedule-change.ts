import { engineOf } from '../../app-types/behaviours.ts'
import { type AppEnv, Prisma } from '../../database/generated/prisma/client.ts'
import { databaseTime } from '../../database/time.ts'
import { invalidField } from '../../domain/errors.ts'
import type { CommandContext } from '../kernel/command.ts'
import { nextTime } from '../schedule/cron-times.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { BackupSchedule } from './backup-schedule.ts'
import { storageOf } from './new-backup.ts'

/** Sets, changes or ends the schedule; undefined leaves it alone. Times before now are not made up for. */
export async function scheduleChange(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  schedule: BackupSchedule | null | undefined,
): Promise<Prisma.AppEnvUncheckedUpdateInput> {
  if (schedule === undefined) return {}
  if (!engineOf(appEnv.app)) throw invalidField('backupSchedule', 'is only for managed services')
  if (schedule === null) return { backupSchedule: Prisma.DbNull, nextBackupAt: null }
  await storageOf(context, appEnv, 'backupSchedule.storage', schedule.storage)
  return { backupSchedule: schedule, nextBackupAt: nextTime(schedule, await databaseTime(context.tx)) }
}

export const scheduleOf = ({ backupSchedule }: Pick<AppEnv, 'backupSchedule'>) =>
  backupSchedule as BackupSchedule | null
