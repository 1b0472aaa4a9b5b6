import type { ContainerInspectInfo } from 'dockerode'
import type { DockerEngine } from '../../engine/docker/connection.ts'
import { statusOf } from '../../engine/docker/engine-answers.ts'
import { refusedAs } from '../../engine/docker/engine-words.ts'
import type { AccountNetwork } from '../../engine/docker/networks.ts'
import type { Rollout } from '../container-runtime.ts'
import type { Reach } from './container-spec.ts'
import { findContainer, withNetwork } from './find-containers.ts'
import { holderOf } from './holder.ts'
import { removeReplica } from './remove.ts'
import { replicaOf } from './replica-of.ts'

/** The second attempt follows a network that vanished, or was made again, meanwhile. */
const ATTEMPTS = 2

/** A container that is paused or between two runs cannot join a network; one that is on its way out need not. */
const CONNECTABLE = ['running', 'created', 'exited']

interface Application {
  engine: DockerEngine
  rollout: Rollout
  signal: AbortSignal
  reach: Reach
}

/** Whether a container is on its account's network, under a name of its environment, and reachable there if it runs. */
export function isConnected(container: ContainerInspectInfo, network: string, reach: Reach): boolean {
  const { Id, HostConfig, NetworkSettings, State } = container
  const endpoint = NetworkSettings.Networks[network]
  // Engines add the beginning of the container's id by themselves.
  const aliases: string[] = endpoint?.Aliases ?? []
  if (!endpoint || !aliases.some((alias) => !Id.startsWith(alias))) return false
  if (State.Status !== 'running') return true
  const isPublished = Object.keys(HostConfig.PortBindings ?? {}).length === 0 || hasBinding(NetworkSettings.Ports)
  return endpoint.IPAddress !== '' && (reach === 'address' || isPublished)
}

const hasBinding = (ports: ContainerInspectInfo['NetworkSettings']['Ports']): boolean =>
  Object.values(ports ?? {}).some((bindings) => (bindings ?? []).length > 0)

/**
 * Puts a container back on its account's network, under its environment's name; the network is made again when it is
 * gone. A container that the engine refuses to connect stays as it is, and is observed as such. False: it had joined a
 * holder that is gone, which no container survives, and was removed.
 */
export async function connectReplica(
  application: Application,
  index: number,
  { id, state }: { id: string; state: string },
): Promise<boolean> {
  const { engine, rollout, signal, reach } = application
  if (!CONNECTABLE.includes(state)) return true
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const network = await engine.networks.ensure(rollout.accountId)
    const found = await findContainer(engine, id, signal)
    const container = found && (await withNetwork(engine, found, signal))
    if (!container || isConnected(container, network.name, reach)) return true
    if (holderOf(container) !== null) {
      await removeReplica(engine, container, { graceSeconds: 0 }, signal)
      return false
    }
    const error = await join(application, index, container, network)
    if (error === null) return true
    if (refusedAs(error, 'bridgeGone')) await engine.networks.discard(network.id, signal)
  }
  return true
}

/** Returns the engine's refusal. */
async function join(
  { engine, rollout, signal }: Application,
  index: number,
  { Id, NetworkSettings }: ContainerInspectInfo,
  { id, name }: AccountNetwork,
): Promise<unknown> {
  const network = engine.docker.getNetwork(id)
  const leave = { Container: Id, Force: true, abortSignal: signal }
  const enter = { Container: Id, EndpointConfig: { Aliases: [replicaOf(rollout, index).alias] }, abortSignal: signal }
  try {
    // Connected without its name, or to a network that is gone: an endpoint cannot be changed.
    if (NetworkSettings.Networks[name]) await network.disconnect(leave).catch(rethrowUnlessRefused)
    await network.connect(enter)
    return null
  } catch (error) {
    return rethrowUnlessRefused(error)
  }
}

function rethrowUnlessRefused(error: unknown): unknown {
  if (statusOf(error) === null) throw error
  return error
}
