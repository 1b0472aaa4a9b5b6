import type { CommandContext } from '../../calls/command.ts'
import type { Volume } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'

/** Marks a volume as deleted; a worker removes it, with its data, once no container uses it. */
export async function discardVolume({ tx, announce }: CommandContext, volume: Volume): Promise<void> {
  const { id: volumeId, cliEnvName, appEnvId } = volume
  await tx.volume.update({
    where: { id: volumeId },
    data: { deletedAt: await databaseTime(tx), version: { increment: 1 } },
  })
  // Their records say that a rollback to them would be refused.
  await tx.content.updateMany({
    where: { appEnvId, configuration: { path: ['volume', 'id'], equals: volumeId } },
    data: { volumeDeleted: true },
  })
  announce({ type: 'volume.deleted', payload: { volumeId, appEnvId, cliEnvName } })
}
