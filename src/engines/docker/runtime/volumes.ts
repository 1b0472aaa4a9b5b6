import type { ContainerCreateOptions } from 'dockerode'
import type { ContainerSettings } from '../../../domain/container-settings.ts'
import type { ContainerFile, Sandbox } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import { foldersOf } from './files.ts'
import { FILES_ROLE, SCRATCH_ROLE } from './left-volumes.ts'

const VOLUME_ROLE = 'volume'

type Mounts = NonNullable<NonNullable<ContainerCreateOptions['HostConfig']>['Mounts']>

export const volumeName = (installationId: string, volumeId: string): string =>
  `berth-${installationId.slice(-8)}-${volumeId.replace('_', '-')}`

export interface Mounted {
  accountId: string
  appEnvId: string
  volume: { id: string; path: string } | null
  files: readonly ContainerFile[]
  /** Null: its root can be written. */
  sandbox: Pick<Sandbox, 'readOnlyRoot'> | null
  settings: Pick<ContainerSettings, 'readOnlyRoot' | 'tmpfs'> | null
  scratchPaths?: readonly string[]
}

/**
 * The engine creates the volumes with the container. Only the environment's own has a name, and outlives it; those
 * without are removed with their container.
 */
export function mountsOf(mounted: Mounted, installationId: string): Mounts {
  const { volume, files, sandbox, settings, scratchPaths = [], accountId, appEnvId } = mounted
  const mount = (role: string, Target: string, Source?: string) => {
    const Labels = {
      [LABEL.installation]: installationId,
      [LABEL.role]: role,
      [LABEL.account]: accountId,
      [LABEL.appEnv]: appEnvId,
    }
    const VolumeOptions = { Labels, NoCopy: false, DriverConfig: { Name: 'local', Options: {} } }
    return { Type: 'volume' as const, ...(Source === undefined ? {} : { Source }), Target, VolumeOptions }
  }
  return [
    ...(volume ? [mount(VOLUME_ROLE, volume.path, volumeName(installationId, volume.id))] : []),
    ...scratchPaths.map((path) => mount(SCRATCH_ROLE, path)),
    ...foldersOf(files)
      .filter((folder) => sandbox?.readOnlyRoot || isCovered(folder, settings))
      .map((folder) => mount(FILES_ROLE, folder)),
  ] as Mounts
}

/** Where a file of the container's own layer could not be written, or not be seen. */
const isCovered = (folder: string, settings: Mounted['settings']): boolean =>
  settings?.readOnlyRoot === true || (settings?.tmpfs ?? []).some(({ path }) => `${folder}/`.startsWith(`${path}/`))

/** Already gone is fine. */
export async function removeVolume(engine: DockerEngine, volumeId: string, signal: AbortSignal): Promise<void> {
  const volume = engine.docker.getVolume(volumeName(engine.installationId, volumeId))
  await tolerating([404], () => volume.remove({ abortSignal: signal }))
}
