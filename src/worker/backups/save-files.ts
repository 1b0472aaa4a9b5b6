import { recordedConfiguration } from '../../domain/configuration.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { Backup, WalArchive } from '../../storage/database/generated/prisma/client.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { fenced } from '../claim/fenced.ts'
import { collectWal } from '../point-in-time/collect-wal.ts'
import { openArchive } from '../point-in-time/wal-archive.ts'
import type { WalSource } from '../point-in-time/wal-commands.ts'
import { runningPrimary } from '../service/primary.ts'
import { serviceContainer } from '../service/service-container.ts'

/** Before files are copied: the log is archived from here on. */
export async function beginBase(attempt: AttemptContext, backup: Backup): Promise<WalArchive> {
  const { appEnv, database, lease } = attempt
  const source = await sourceOf(attempt)
  if (!appEnv.volumeId) throw new BackupFailed('BACKUP_FAILED', 'The service keeps no data that could be copied')
  const { presetVersion, storageCredentialId } = backup
  const opened = await openArchive(attempt, appEnv, {
    volumeId: appEnv.volumeId,
    presetVersion,
    storageCredentialId,
  })
  const archive = await collected(attempt, source, opened, false)
  const data = { archiveId: archive.id, firstPiece: archive.lastPiece + 1 }
  await fenced(database, lease, (tx) => tx.backup.updateMany({ where: { id: backup.id }, data }))
  return archive
}

/** Once files are copied: what makes them consistent is archived too. Returns what is to be recorded of the backup. */
export async function completeBase(attempt: AttemptContext, { id }: WalArchive) {
  // Reconciles have collected while the files were copied.
  const archive = await attempt.database.walArchive.findUniqueOrThrow({ where: { id } })
  if (archive.endedAt) throw gap(archive.endReason)
  const { lastPiece, until } = await collected(attempt, await sourceOf(attempt), archive, true)
  return { consistentPiece: lastPiece, restorableFrom: until }
}

async function collected(
  attempt: AttemptContext,
  source: WalSource,
  archive: WalArchive,
  forced: boolean,
): Promise<WalArchive> {
  const reached = await collectWal(attempt, attempt.appEnv, source, archive, { forced })
  if (!reached) throw gap('the service has kept too little of it')
  return reached
}

const gap = (why: string | null) =>
  new BackupFailed('BACKUP_FAILED', `The log that belongs to the backup has a gap: ${why ?? 'its archive has ended'}`)

async function sourceOf(attempt: AttemptContext): Promise<WalSource> {
  const { appEnv } = attempt
  const service =
    appEnv.currentContent && serviceContainer(attempt, appEnv, recordedConfiguration(appEnv.currentContent))
  if (!service) throw new Error(`${appEnv.id} is no managed service`)
  return { ...service, name: (await runningPrimary(attempt, 'be asked for its data')).name }
}
