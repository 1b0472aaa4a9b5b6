import type { ContainerSettings } from '../../domain/container-settings.ts'
import { invalidField } from '../../domain/errors.ts'

type Settings = Pick<ContainerSettings, 'tmpfs'> | null | undefined

/** Throws for a folder in memory at the path of the volume: one of them would hide the other. */
export function requireSeparatePaths(settings: Settings, volumePath: string | undefined): void {
  const index = (settings?.tmpfs ?? []).findIndex(({ path }) => path === volumePath)
  if (index >= 0)
    throw invalidField(`containerSettings.tmpfs.${index}.path`, `is where the volume is mounted: ${volumePath}`)
}
