import type { Engine } from '../../app-types/engines/engine.ts'
import { restoresInto } from '../../app-types/engines/upgrades.ts'
import type { Backup } from '../../database/generated/prisma/client.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { lockBackup, requireAvailable } from '../backup/load-backup.ts'
import { deployedService, newBackup, requireBackupRoom } from '../backup/new-backup.ts'
import { permit } from '../kernel/caller.ts'
import type { CommandContext } from '../kernel/command.ts'
import { flag, id } from '../kernel/input.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { requireQuiet, requireRunning } from './back-up.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { repeatedContent } from './new-content.ts'

export const restoreBackup = lifecycleOperation({
  name: 'restoreBackup',
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
  },
  async plan(context, appEnv, { backupKey, backupFirst }) {
    const { engine, content, configuration, presetVersion } = deployedService(appEnv)
    await requireQuiet(context, appEnv)
    const backup = await readableBackup(context, appEnv, backupKey)
    checkVersion(engine, backup, presetVersion)
    if (!configuration.volume || !appEnv.volume)
      throw conflict('NO_VOLUME', `"${appEnv.cliEnvName}" keeps no data: it was created without persistence`)
    const volume = { id: newId('vol'), path: configuration.volume.path, diskMb: configuration.volume.diskMb }
    const first = backupFirst ? await backupBefore(context, appEnv, presetVersion, engine, backup) : null
    context.auditDetails({ backupKey, backupFirst, volumeId: volume.id })
    return {
      backupKey,
      intent: {
        kind: 'RESTORE',
        backupId: backup.id,
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
  if (!restoresInto(engine, backup.presetVersion, presetVersion))
    throw conflict(
      'BACKUP_OF_NEWER_VERSION',
      `A backup of ${backup.presetVersion} cannot be restored into ${presetVersion}`,
    )
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
