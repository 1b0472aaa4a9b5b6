import { newId } from '../../domain/ids.ts'
import type { WalArchive } from '../../storage/database/generated/prisma/client.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { runWalCommand, type WalSource } from './wal-commands.ts'

const COMMAND_SECONDS = 60
/** Of another volume, or in another storage. */
export const REPLACED = 'Another log took its place'

interface Place {
  volumeId: string
  presetVersion: string
  storageCredentialId: string | null
}

/** The open archive of the volume in this storage; a new one where there is none. Every other one ends. */
export async function openArchive(
  context: EnvironmentContext,
  { id: appEnvId, accountId }: ClaimedAppEnv,
  place: Place,
): Promise<WalArchive> {
  const { database, lease } = context
  return fenced(database, lease, async (tx) => {
    const { volumeId, storageCredentialId } = place
    const open = await tx.walArchive.findFirst({
      where: { appEnvId, volumeId, storageCredentialId, endedAt: null },
      orderBy: { id: 'desc' },
    })
    await tx.walArchive.updateMany({
      where: { appEnvId, endedAt: null, ...(open ? { id: { not: open.id } } : {}) },
      data: { endedAt: lease.claim.clock.now(), endReason: REPLACED },
    })
    return open ?? tx.walArchive.create({ data: { id: newId('arc'), accountId, appEnvId, ...place } })
  })
}

/** Nothing is added to it any more. What it has can be restored as long as a backup is there. */
export const endArchive = ({ database, lease }: EnvironmentContext, { id }: WalArchive, endReason: string) =>
  fenced(database, lease, (tx) =>
    tx.walArchive.updateMany({
      where: { id, endedAt: null },
      data: { endedAt: lease.claim.clock.now(), endReason, message: null },
    }),
  )

/** The engine of its volume keeps nothing for it any more. */
export async function dropKept(
  context: EnvironmentContext,
  source: WalSource,
  { id }: Pick<WalArchive, 'id'>,
): Promise<void> {
  const { pointInTime } = source.engine
  if (!pointInTime) return
  await runWalCommand(context, source, pointInTime.log.drop, {
    what: 'ends the archive of the log',
    environment: { ARCHIVE: id },
    timeoutSeconds: COMMAND_SECONDS,
  })
  await fenced(context.database, context.lease, (tx) =>
    tx.walArchive.updateMany({ where: { id }, data: { isKept: false } }),
  )
}
