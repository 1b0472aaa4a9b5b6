import type { ContainerCreateOptions } from 'dockerode'
import type { DockerEngine } from '../../engine/docker/connection.ts'
import { tolerating } from '../../engine/docker/engine-answers.ts'
import { LABEL } from '../../engine/docker/labels.ts'
import type { Rollout } from '../container-runtime.ts'

type Mounts = NonNullable<NonNullable<ContainerCreateOptions['HostConfig']>['Mounts']>

const volumeName = (installationId: string, volumeId: string): string =>
  `berth-${installationId.slice(-8)}-${volumeId.replace('_', '-')}`

/** The engine creates the volume with the first container that mounts it. */
export function mountsOf({ volume, accountId, appEnvId }: Rollout, installationId: string): Mounts {
  if (!volume) return []
  const labels = {
    [LABEL.installation]: installationId,
    [LABEL.role]: 'volume',
    [LABEL.account]: accountId,
    [LABEL.appEnv]: appEnvId,
  }
  const name = volumeName(installationId, volume.id)
  const options = { Labels: labels, NoCopy: false, DriverConfig: { Name: 'local', Options: {} } }
  return [{ Type: 'volume', Source: name, Target: volume.path, VolumeOptions: options }]
}

/** Already gone is fine. */
export async function removeVolume(engine: DockerEngine, volumeId: string, signal: AbortSignal): Promise<void> {
  const volume = engine.docker.getVolume(volumeName(engine.installationId, volumeId))
  await tolerating([404], () => volume.remove({ abortSignal: signal }))
}
