import { getAppType } from '../../app-types/app-types.ts'
import type { CommandContext } from '../../calls/command.ts'
import type { ContainerSettings } from '../../domain/container-settings.ts'
import type { FieldProblem } from '../../domain/errors.ts'
import type { App } from '../../storage/database/generated/prisma/client.ts'
import { lockAppEnv } from '../targets/load-app-env.ts'
import { volumeChange } from '../volume/volume-change.ts'
import { requireSeparatePaths } from '../volume/volume-input.ts'
import type { UpdateAppInput } from './app-input.ts'

type Sent = Pick<UpdateAppInput, 'useVolume' | 'volumePath'>

/**
 * The path at which every environment of the app has its volume; null for none, undefined when nothing was sent about
 * it. A path alone says that there is a volume.
 */
export function volumePathIn({ useVolume, volumePath }: Sent, app: Pick<App, 'volumePath'>): string | null | undefined {
  if (useVolume === false) return null
  return volumePath ?? (useVolume ? app.volumePath : undefined)
}

export function volumeProblems(sent: Sent, app: Pick<App, 'type' | 'volumePath'>): FieldProblem[] {
  const { useVolume, volumePath } = sent
  const { allowsVolume, title } = getAppType(app.type)
  if ((useVolume || volumePath !== undefined) && !allowsVolume)
    return [{ field: useVolume ? 'useVolume' : 'volumePath', message: `cannot be set for a ${title}` }]
  if (useVolume === false && volumePath !== undefined)
    return [{ field: 'volumePath', message: 'is not for useVolume false' }]
  if (useVolume && volumePathIn(sent, app) === null)
    return [{ field: 'volumePath', message: 'is required with useVolume, unless it was set before' }]
  return []
}

/** Gives every environment its volume at the path, or detaches it. Returns the ids of those that it changed. */
export async function changeVolumes(context: CommandContext, app: App, path: string | null): Promise<string[]> {
  const { tx } = context
  const where = { appId: app.id, deletedAt: null }
  const rows = await tx.appEnv.findMany({ where, select: { id: true }, orderBy: { id: 'asc' } })
  const changed: string[] = []
  for (const { id } of rows) {
    const { appEnv } = await lockAppEnv(tx, { appEnvId: id })
    if ((appEnv.volume?.path ?? null) === path) continue
    requireSeparatePaths(appEnv.containerSettings as ContainerSettings | null, path ?? undefined)
    const data = await volumeChange(context, appEnv, path === null ? null : { path })
    await tx.appEnv.update({ where: { id }, data: { ...data, version: { increment: 1 } } })
    const payload = { changed: ['volume'] }
    context.announce({ type: 'appEnv.updated', appId: app.id, appEnvId: id, payload })
    changed.push(id)
  }
  return changed
}
