import type { z } from 'zod'
import { getAppType } from '../../app-types/app-types.ts'
import type { CommandContext } from '../../calls/command.ts'
import { invalidField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { volume } from './volume-input.ts'

type Volume = z.output<typeof volume>

/** Of a volume without a given size. A limit, not a reservation. */
const DEFAULT_DISK_MB = 5 * 1024

/**
 * Creates, changes or detaches the environment's volume; undefined leaves it alone. A detached volume keeps its data
 * until it is deleted, and the next volume of the environment uses it again.
 */
export async function volumeChange(
  { tx, created, auditDetails }: CommandContext,
  appEnv: LoadedAppEnv,
  wanted: (Pick<Volume, 'path'> & Partial<Volume>) | null | undefined,
): Promise<{ volumeId?: string | null }> {
  if (wanted === undefined) return {}
  if (wanted === null) return { volumeId: null }
  const { allowsVolume, title } = getAppType(appEnv.app.type)
  if (!allowsVolume) throw invalidField('volume', `cannot be part of a ${title}`)
  const data = { path: wanted.path, ...(wanted.disk === undefined ? {} : { diskMb: wanted.disk }) }
  const kept = await tx.volume.findFirst({
    where: { appEnvId: appEnv.id, deletedAt: null, operationId: null },
    orderBy: { id: 'desc' },
  })
  if (kept) {
    await tx.volume.update({ where: { id: kept.id }, data: { ...data, version: { increment: 1 } } })
    return { volumeId: kept.id }
  }
  const id = newId('vol')
  const { accountId, cliEnvName, regionCode } = appEnv
  await tx.volume.create({
    data: { id, accountId, appEnvId: appEnv.id, cliEnvName, regionCode, diskMb: DEFAULT_DISK_MB, ...data },
  })
  created(id)
  auditDetails({ volumeId: id })
  return { volumeId: id }
}
