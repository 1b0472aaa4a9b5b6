import { z } from 'zod'
import { type CommandContext, command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Volume } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'

interface DeletedVolume extends Record<string, unknown> {
  message: string
  volumeId: string
}

export const deleteVolume = command({
  name: 'deleteVolume',
  rest: { method: 'DELETE', path: '/volume', answer: messageAnswer },
  versioned: true,
  waits: true,
  about: 'Delete a volume and its data for good. Refused while an environment uses the volume.',
  example: { answer: { message: 'The volume of "default-shop-production" and its data are deleted' } },
  dangerous: true,
  input: z.strictObject({ volumeId: id('volume') }),
  permission: 'appEnv:delete',
  async target({ tx }, { volumeId }) {
    await tx.$queryRaw`SELECT 1 FROM volume WHERE id = ${volumeId} FOR UPDATE`
    const volume = await tx.volume.findFirst({
      where: { id: volumeId, deletedAt: null, operationId: null },
      include: { appEnv: true },
    })
    if (!volume) throw notFound('volume', volumeId)
    const { accountId, appEnvId, version } = volume
    return { type: 'volume' as const, id: volumeId, accountId, appEnvId, version, volume }
  },
  async execute(context, _input, { volume }): Promise<DeletedVolume> {
    const { tx, auditDetails } = context
    const { id: volumeId, cliEnvName } = volume
    const serving = await tx.appEnv.findFirst({
      where: {
        deletedAt: null,
        OR: [
          { volumeId },
          { currentContent: { configuration: { path: ['volume', 'id'], equals: volumeId } }, rolloutId: { not: null } },
        ],
      },
    })
    if (serving)
      throw conflict(
        'VOLUME_IN_USE',
        `"${serving.cliEnvName}" has the volume: take it away there, and apply that, first`,
      )
    await discardVolume(context, volume)
    auditDetails({ cliEnvName, path: volume.path })
    return { message: `The volume of "${cliEnvName}" and its data are deleted`, volumeId }
  },
  // It is gone from every answer at once; a worker removes the data.
  progress: {
    async observe(database: Database, { volumeId }: DeletedVolume) {
      const found = await database.volume.findUnique({ where: { id: volumeId }, select: { accountId: true } })
      return { hasEnded: !found, accountId: found?.accountId }
    },
    async answer(database: Database, result: DeletedVolume) {
      const isThere = await database.volume.findUnique({ where: { id: result.volumeId }, select: { id: true } })
      return { ...result, operationStatus: isThere ? ('RUNNING' as const) : ('SUCCEEDED' as const) }
    },
  },
})

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
