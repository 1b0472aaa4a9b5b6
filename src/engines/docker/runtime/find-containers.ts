import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { notFound } from '../../../domain/errors.ts'
import type { RolloutReference } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import { replicaFilters } from './container-labels.ts'
import { holderOf } from './holder.ts'

/** Our replicas in any phase; the engine answers from a snapshot, so a stuck container does not block it. */
export const listReplicas = (
  engine: DockerEngine,
  reference: Partial<RolloutReference>,
  signal: AbortSignal,
): Promise<ContainerInfo[]> =>
  engine.docker.listContainers({
    all: true,
    filters: replicaFilters(engine.installationId, reference),
    abortSignal: signal,
  })

/** One container by name or id, of any owner; null when there is none. */
export async function findContainer(
  engine: DockerEngine,
  name: string,
  signal: AbortSignal,
): Promise<ContainerInspectInfo | null> {
  try {
    return await engine.docker.getContainer(name).inspect({ abortSignal: signal })
  } catch (error) {
    if (statusOf(error) === 404) return null
    throw error
  }
}

/**
 * With the network of the holder that a replica has joined, as if it were its own: none when the holder has ended or is
 * gone.
 */
export async function withNetwork(
  engine: DockerEngine,
  container: ContainerInspectInfo,
  signal: AbortSignal,
): Promise<ContainerInspectInfo> {
  const id = holderOf(container)
  if (id === null) return container
  const holder = await findContainer(engine, id, signal)
  const { NetworkSettings } = container
  const Networks = holder?.State.Running ? holder.NetworkSettings.Networks : {}
  return { ...container, NetworkSettings: { ...NetworkSettings, Networks } }
}

/** One container of this installation; another installation's counts as missing. Throws NOT_FOUND. */
export async function getReplica(
  engine: DockerEngine,
  name: string,
  signal: AbortSignal,
): Promise<ContainerInspectInfo> {
  const found = await findContainer(engine, name, signal)
  if (found?.Config.Labels?.[LABEL.installation] !== engine.installationId) throw notFound('container', name)
  return found
}

const ID = /^[0-9a-f]{64}$/

/**
 * The id of one container of this installation, by name or id. Unlike an inspection, a list does not wait for a container
 * that starts, ends or is stuck. Throws NOT_FOUND.
 */
export async function ownContainerId(engine: DockerEngine, name: string, signal: AbortSignal): Promise<string> {
  const filters = {
    label: [`${LABEL.installation}=${engine.installationId}`],
    [ID.test(name) ? 'id' : 'name']: [ID.test(name) ? name : `^/${name}$`],
  }
  const [found] = await engine.docker.listContainers({ all: true, filters, abortSignal: signal })
  if (!found) throw notFound('container', name)
  return found.Id
}
