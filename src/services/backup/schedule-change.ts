import { engineOf } from '../../app-types/behaviours.ts'
import type { Engine } from '../../app-types/engines/engine.ts'
import { ENGINES } from '../../app-types/engines/list.ts'
import type { CommandContext } from '../../calls/command.ts'
import { invalidField } from '../../domain/errors.ts'
import { type AppEnv, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
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
  const engine = engineOf(appEnv.app, appEnv.presetVersion)
  if (!engine) throw invalidField('backupSchedule', 'is only for managed services')
  if (schedule === null) return { backupSchedule: Prisma.DbNull, nextBackupAt: null }
  if (schedule.pointInTime) requirePointInTime(engine, appEnv)
  await storageOf(context, appEnv, 'backupSchedule.storage', schedule.storage)
  return { backupSchedule: schedule, nextBackupAt: nextTime(schedule, await databaseTime(context.tx)) }
}

function requirePointInTime(engine: Engine, { cliEnvName, volume }: LoadedAppEnv): void {
  const able = ENGINES.filter((one) => one.pointInTime).map((one) => one.title)
  if (!engine.pointInTime)
    throw invalidField('backupSchedule.pointInTime', `must be false for ${engine.title}; ${able.join(', ')} has it`)
  if (!volume) throw invalidField('backupSchedule.pointInTime', `must be false: "${cliEnvName}" keeps no data`)
}

export const scheduleOf = ({ backupSchedule }: Pick<AppEnv, 'backupSchedule'>) =>
  backupSchedule as BackupSchedule | null
