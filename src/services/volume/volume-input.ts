import { z } from 'zod'
import { mountPath } from '../../app-types/container-path.ts'
import { ENGINES } from '../../app-types/engines/list.ts'
import type { ContainerSettings } from '../../domain/container-settings.ts'
import { invalidField } from '../../domain/errors.ts'

export const MAX_DISK_MB = 1024 * 1024

const upTo = (maxMb: number) => z.number().int().min(1).max(maxMb).describe('Size of the volume in MB.')

const disk = upTo(MAX_DISK_MB)

/** Of any app: an engine may allow more than the volume of another app has, and checks that by itself. */
export const diskOfAny = upTo(Math.max(MAX_DISK_MB, ...ENGINES.map(({ limits }) => limits.diskMb.max)))

export const volumePath = mountPath.describe('Path at which containers mount the volume.')

export const volume = z
  .strictObject({ path: volumePath, disk })
  .describe('Data that outlives containers. Each container of the environment mounts the same volume.')

type Settings = Pick<ContainerSettings, 'tmpfs'> | null | undefined

/** Throws for a folder in memory at the path of the volume: one of them would hide the other. */
export function requireSeparatePaths(settings: Settings, volumePath: string | undefined): void {
  const index = (settings?.tmpfs ?? []).findIndex(({ path }) => path === volumePath)
  if (index >= 0)
    throw invalidField(`containerSettings.tmpfs.${index}.path`, `is where the volume is mounted: ${volumePath}`)
}
