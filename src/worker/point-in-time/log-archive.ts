import type { LogArchive } from '../../database/generated/prisma/client.ts'
import { newId } from '../../domain/ids.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { type LogSource, runLogCommand } from './log-commands.ts'

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
): Promise<LogArchive> {
  const { database, lease } = context
  return fenced(database, lease, async (tx) => {
    const { volumeId, storageCredentialId } = place
    const open = await tx.logArchive.findFirst({
      where: { appEnvId, volumeId, storageCredentialId, endedAt: null },
      orderBy: { id: 'desc' },
    })
    await tx.logArchive.updateMany({
      where: { appEnvId, endedAt: null, ...(open ? { id: { not: open.id } } : {}) },
      data: { endedAt: lease.claim.clock.now(), endReason: REPLACED },
    })
    return open ?? tx.logArchive.create({ data: { id: newId('arc'), accountId, appEnvId, ...place } })
  })
}

/** Nothing is added to it any more. What it has can be restored as long as a backup is there. */
export const endArchive = ({ database, lease }: EnvironmentContext, { id }: LogArchive, endReason: string) =>
  fenced(database, lease, (tx) =>
    tx.logArchive.updateMany({
      where: { id, endedAt: null },
      data: { endedAt: lease.claim.clock.now(), endReason, message: null },
    }),
  )

/** The engine of its volume keeps nothing for it any more. */
export async function dropKept(
  context: EnvironmentContext,
  source: LogSource,
  { id }: Pick<LogArchive, 'id'>,
): Promise<void> {
  const { pointInTime } = source.engine
  if (!pointInTime) return
  await runLogCommand(context, source, pointInTime.log.drop, {
    what: 'ends the archive of the log',
    environment: { ARCHIVE: id },
    timeoutSeconds: COMMAND_SECONDS,
  })
  await fenced(context.database, context.lease, (tx) =>
    tx.logArchive.updateMany({ where: { id }, data: { isKept: false } }),
  )
}
