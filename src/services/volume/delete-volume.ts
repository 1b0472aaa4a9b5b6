import { z } from 'zod'
import { conflict, notFound } from '../../domain/errors.ts'
import { command } from '../kernel/command.ts'
import { id } from '../kernel/input.ts'
import { discardVolume } from './discard-volume.ts'

export const deleteVolume = command({
  name: 'deleteVolume',
  about: 'Delete a volume and its data for good. Refused while an environment uses the volume.',
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
  async execute(context, _input, { volume }) {
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
    return { message: `The volume of "${cliEnvName}" and its data are deleted` }
  },
})
