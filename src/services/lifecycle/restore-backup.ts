import type { Engine } from '../../app-types/engines/engine.ts'
import { restoresInto } from '../../app-types/engines/upgrades.ts'
import { permit } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { flag, id, instant } from '../../calls/input.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import { backupCallAnswer } from '../backup/backup-fields.ts'
import { lockBackup, requireAvailable } from '../backup/load-backup.ts'
import { deployedService, newBackup, requireBackupRoom } from '../backup/new-backup.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { requireQuiet, requireRunning } from './back-up.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { repeatedContent } from './new-content.ts'

export const restoreBackup = lifecycleOperation({
  name: 'restoreBackup',
  path: '/app-env/backup-restore',
  answer: backupCallAnswer,
  about:
    'Replace the data of a managed service by that of a backup: of the service itself, or of another one of the account with the same engine and the same or an older version. Credentials stay as they are. If it fails, the data from before serves again.',
  accepted: 'The backup is being restored',
  dangerous: true,
  permission: 'backup:restore',
  input: {
    backupKey: id('backup'),
    backupFirst: flag(
      'Whether to take a backup of the present data first, and then delete its volume. With false, the volume is kept.',
    ).default(true),
    pointInTime: instant(
      'Moment to restore, for a scheduled backup with point in time: pointInTimeFrom to pointInTimeTo of the backup. Omitted: the earliest one.',
    ).optional(),
  },
  async plan(context, appEnv, { backupKey, backupFirst, pointInTime }) {
    const { engine, content, configuration, presetVersion } = deployedService(appEnv)
    await requireQuiet(context, appEnv)
    const backup = await readableBackup(context, appEnv, backupKey)
    checkVersion(engine, backup, presetVersion)
    const moment = pointInTime === undefined ? null : await restorableMoment(context, backup, pointInTime)
    if (!configuration.volume || !appEnv.volume)
      throw conflict('NO_VOLUME', `"${appEnv.cliEnvName}" keeps no data: it was created without persistence`)
    const volume = { id: newId('vol'), path: configuration.volume.path, diskMb: configuration.volume.diskMb }
    const first = backupFirst ? await backupBefore(context, appEnv, presetVersion, engine, backup) : null
    context.auditDetails({ backupKey, backupFirst, volumeId: volume.id, pointInTime: moment?.toISOString() })
    return {
      backupKey,
      intent: {
        kind: 'RESTORE',
        backupId: backup.id,
        pointInTime: moment,
        content: repeatedContent(content, { ...configuration, volume }),
        async prepare(operationId) {
          await first?.create(operationId)
          await createVolume(context, appEnv, volume, { presetVersion, operationId })
        },
      },
    }
  },
})

/** Throws NOT_FOUND for a backup of another account, as for one that does not exist. */
export async function readableBackup({ tx, caller }: CommandContext, appEnv: LoadedAppEnv, backupKey: string) {
  const { backup } = await lockBackup(tx, backupKey)
  if (backup.accountId !== appEnv.accountId) throw notFound('backup', backupKey)
  permit(caller, 'backup:read', { accountId: backup.accountId, appEnvId: backup.appEnvId })
  requireAvailable(backup)
  return backup
}

export function checkVersion(engine: Engine, backup: Backup, presetVersion: string): void {
  const isOfEngine = backup.presetVersion.startsWith(`${engine.name}_`)
  if (!isOfEngine)
    throw conflict('BACKUP_OF_OTHER_ENGINE', `The backup is one of ${backup.presetVersion}, not of ${engine.title}`)
  if (backup.isBase && backup.presetVersion !== presetVersion)
    throw conflict(
      'BACKUP_OF_OTHER_VERSION',
      `A backup with point in time holds files of ${backup.presetVersion}, which ${presetVersion} cannot read: take one by hand`,
    )
  if (!restoresInto(engine, backup.presetVersion, presetVersion))
    throw conflict(
      'BACKUP_OF_NEWER_VERSION',
      `A backup of ${backup.presetVersion} cannot be restored into ${presetVersion}`,
    )
}

/** Throws INVALID_INPUT with the range that is allowed. */
async function restorableMoment({ tx }: CommandContext, backup: Backup, text: string): Promise<Date> {
  const moment = new Date(text)
  const archive = backup.archiveId && (await tx.walArchive.findUnique({ where: { id: backup.archiveId } }))
  const [from, to] = [backup.restorableFrom, archive ? archive.until : null]
  if (!from || !to)
    throw invalidField('pointInTime', 'is for scheduled backups with point in time; this one holds one moment only')
  if (moment < from || moment > to)
    throw invalidField('pointInTime', `must be from ${from.toISOString()} to ${to.toISOString()} for this backup`)
  return moment
}

async function backupBefore(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  presetVersion: string,
  engine: Engine,
  { storageCredentialId }: Backup,
) {
  if (engine.backup.save.while === 'RUNNING') requireRunning(appEnv)
  await requireBackupRoom(context, appEnv.accountId)
  return newBackup(context, appEnv, { kind: 'BEFORE_RESTORE', presetVersion, storageCredentialId })
}

async function createVolume(
  { tx, created }: CommandContext,
  { id: appEnvId, accountId, cliEnvName, regionCode, serviceCredentialsId }: LoadedAppEnv,
  volume: { id: string; path: string; diskMb: number },
  rest: { presetVersion: string; operationId: string },
): Promise<void> {
  created(volume.id)
  await tx.volume.create({
    data: { ...volume, ...rest, accountId, appEnvId, cliEnvName, regionCode, serviceCredentialsId },
  })
}
