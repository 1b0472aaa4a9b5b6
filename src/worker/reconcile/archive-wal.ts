import { recordedConfiguration } from '../../domain/configuration.ts'
import { RuntimeError } from '../../engines/runtime/container-runtime.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { WalArchive } from '../../storage/database/generated/prisma/client.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { collectWal } from '../point-in-time/collect-wal.ts'
import { dropKept, endArchive, REPLACED } from '../point-in-time/wal-archive.ts'
import type { WalSource } from '../point-in-time/wal-commands.ts'
import { knownService } from '../service/service-container.ts'
import type { Probed } from './replica-states.ts'

/** Part of each reconcile: collects the log of a service that is restored to points in time, when it is time to. */
export async function archiveWal(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  probed: readonly Probed[],
): Promise<void> {
  const { currentContent: content, volumeId, id: appEnvId } = appEnv
  const serving = probed.find(({ index, observed, failure }) => index === 0 && observed && failure === null)?.observed
  if (!content || !volumeId || !serving || serving.phase !== 'running') return
  const service = knownService(context, appEnv, recordedConfiguration(content))
  if (!service?.engine.pointInTime) return
  const source = { ...service, name: serving.name }
  const archives = await context.database.walArchive.findMany({
    where: {
      OR: [
        { appEnvId, endedAt: null },
        { volumeId, isKept: true },
      ],
    },
    orderBy: { id: 'asc' },
  })
  for (const archive of archives) await tend(context, appEnv, source, archive)
}

/** A failure is shown with the archive, and is not one of the reconcile. */
async function tend(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  source: WalSource,
  archive: WalArchive,
): Promise<void> {
  try {
    if (archive.volumeId !== appEnv.volumeId) await endArchive(context, archive, REPLACED)
    else if (archive.endedAt) await dropKept(context, source, archive)
    else if (!isWanted(appEnv)) await endArchive(context, archive, 'Point in time was turned off')
    // One piece in each reconcile: the environment is not probed meanwhile.
    else if (isDue(context, archive)) await collectWal(context, appEnv, source, archive, { pieces: 1 })
  } catch (error) {
    if (!(error instanceof BackupFailed || error instanceof RuntimeError)) throw error
    await recordFailure(context, archive, error.message)
  }
}

/** With the time, so that a storage that does not answer is not asked in each reconcile. */
async function recordFailure(
  { database, lease, log, quote }: EnvironmentContext,
  { id, appEnvId }: WalArchive,
  said: string,
): Promise<void> {
  const message = await quote(said)
  log.warn({ appEnvId, archiveId: id, reason: message }, 'Collecting the log of a service failed; it is retried')
  const data = { message, collectedAt: lease.claim.clock.now() }
  await fenced(database, lease, (tx) => tx.walArchive.updateMany({ where: { id }, data }))
}

const isWanted = ({ backupSchedule }: ClaimedAppEnv): boolean =>
  (backupSchedule as { pointInTime?: boolean } | null)?.pointInTime === true

const isDue = ({ config, lease }: EnvironmentContext, { collectedAt }: WalArchive): boolean =>
  collectedAt === null ||
  lease.claim.clock.now().getTime() - collectedAt.getTime() >= config.BERTH_LOG_ARCHIVE_SECONDS * 1000
