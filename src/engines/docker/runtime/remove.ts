import { setTimeout as pause } from 'node:timers/promises'
import type { ContainerInfo } from 'dockerode'
import { failpoint } from '../../../fault-injection/failpoint.ts'
import type { RemovalOptions, RolloutReference } from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { tolerating } from '../engine-answers.ts'
import { listReplicas } from './find-containers.ts'
import { holderOf, removeHolder } from './holder.ts'
import { removeLeftVolumes } from './left-volumes.ts'

/** High, because a removal mostly waits, and ten apps that ignore SIGTERM should not wait one after another. */
const REMOVALS_AT_ONCE = 16

const RECHECK_MS = 100

/**
 * Removes and lists again until nothing is left: a removal that another caller began is only reported as "in progress",
 * and a running create may have ended after the first list.
 */
export async function removeReplicas(
  engine: DockerEngine,
  reference: RolloutReference,
  options: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 1; ; round += 1) {
    const found = await listReplicas(engine, reference, signal)
    if (found.length === 0) break
    if (round > 1) await pause(RECHECK_MS, undefined, { signal })
    await inParallel(found, REMOVALS_AT_ONCE, (container) => removeReplica(engine, container, options, signal))
  }
  const { appEnvId, rolloutId, index } = reference
  if (rolloutId === undefined && index === undefined) await removeLeftVolumes(engine, appEnvId, signal)
}

/** Of a replica, with the holder of its network. */
export async function removeReplica(
  engine: DockerEngine,
  container: Pick<ContainerInfo, 'Id'> & Parameters<typeof holderOf>[0],
  options: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  await removeContainer(engine, container.Id, options, signal)
  const holder = holderOf(container)
  if (holder !== null) await removeHolder(engine, holder, signal)
}

/** SIGTERM, SIGKILL after the grace, then removal with the container's anonymous volumes. Already gone is fine. */
export async function removeContainer(
  engine: DockerEngine,
  id: string,
  { graceSeconds, beforeRemoval }: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  const container = engine.docker.getContainer(id)
  if (graceSeconds > 0 || beforeRemoval) {
    await tolerating([304, 404, 409], () => container.stop({ t: graceSeconds, abortSignal: signal }))
    failpoint('container.stopped')
  }
  await beforeRemoval?.(id)
  await tolerating([404, 409], () => container.remove({ force: true, v: true, abortSignal: signal }))
  failpoint('container.removed')
}
