import type { DockerEngine } from '../connection.ts'
import { tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'

/** Of volumes that one container has to itself. */
export const FILES_ROLE = 'files'
export const SCRATCH_ROLE = 'scratch'

/**
 * Removes the volumes of containers that are gone, of one environment or of all: an operator who removes a container
 * leaves them, and with them its files, which are secrets. A container has its volumes from its creation on.
 */
export async function removeLeftVolumes(
  { docker, installationId }: DockerEngine,
  appEnvId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const label = [
    `${LABEL.installation}=${installationId}`,
    ...(appEnvId === null ? [] : [`${LABEL.appEnv}=${appEnvId}`]),
  ]
  const { Volumes } = await docker.listVolumes({ filters: { label, dangling: ['true'] }, abortSignal: signal })
  for (const { Name, Labels } of Volumes ?? []) {
    if (![FILES_ROLE, SCRATCH_ROLE].includes(Labels[LABEL.role] ?? '')) continue
    await tolerating([404, 409], () => docker.getVolume(Name).remove({ abortSignal: signal }))
  }
}
