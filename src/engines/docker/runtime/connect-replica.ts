import type { ContainerInspectInfo } from 'dockerode'
import type { Rollout } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { refusedAs } from '../engine-words.ts'
import type { AccountNetwork } from '../networks.ts'
import type { Reach } from './container-spec.ts'
import { findContainer, withNetwork } from './find-containers.ts'
import { holderOf } from './holder.ts'
import { ensureNetworks, type Membership, membershipsOf } from './networks-of.ts'
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

/** Whether a container is on all of its networks, under its names there, and reachable if it runs. */
export const isConnected = (
  container: ContainerInspectInfo,
  memberships: readonly Membership[],
  reach: Reach,
): boolean => memberships.every((membership) => isOn(container, membership)) && isReachable(container, reach)

function isOn({ Id, NetworkSettings, State }: ContainerInspectInfo, { name, aliases: wanted }: Membership): boolean {
  const endpoint = NetworkSettings.Networks[name]
  if (!endpoint || (State.Status === 'running' && endpoint.IPAddress === '')) return false
  const aliases: string[] = endpoint.Aliases ?? []
  // Engines add the beginning of the container's id by themselves.
  if (wanted === null) return aliases.some((alias) => !Id.startsWith(alias))
  return wanted.every((alias) => aliases.includes(alias))
}

const isReachable = ({ HostConfig, NetworkSettings, State }: ContainerInspectInfo, reach: Reach): boolean =>
  State.Status !== 'running' ||
  reach === 'address' ||
  Object.keys(HostConfig.PortBindings ?? {}).length === 0 ||
  hasBinding(NetworkSettings.Ports)

const hasBinding = (ports: ContainerInspectInfo['NetworkSettings']['Ports']): boolean =>
  Object.values(ports ?? {}).some((bindings) => (bindings ?? []).length > 0)

/**
 * Puts a container on its networks, under its names there; a network is made again when it is gone. A container that
 * the engine refuses to connect stays as it is, and is observed as such. False: it had joined a holder that is gone,
 * which no container survives, and was removed.
 */
export async function connectReplica(
  application: Application,
  index: number,
  { id, state }: { id: string; state: string },
): Promise<boolean> {
  const { engine, rollout, signal, reach } = application
  if (!CONNECTABLE.includes(state)) return true
  const replica = replicaOf(rollout, index)
  const memberships = membershipsOf(engine.installationId, replica)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const networks = await ensureNetworks(engine, replica)
    const found = await findContainer(engine, id, signal)
    const container = found && (await withNetwork(engine, found, signal))
    if (!container || isConnected(container, memberships, reach)) return true
    if (holderOf(container) !== null) {
      await removeReplica(engine, container, { graceSeconds: 0 }, signal)
      return false
    }
    let isRefused = false
    for (const [position, membership] of memberships.entries()) {
      const network = networks[position]
      const isJoined = position === 0 ? isConnected(container, [membership], reach) : isOn(container, membership)
      if (!network || isJoined) continue
      const error = await join(engine, container, network, membership.aliases ?? [replica.alias], signal)
      if (error === null) continue
      isRefused = true
      if (refusedAs(error, 'bridgeGone')) await engine.networks.discard(network.id, signal)
    }
    if (!isRefused) return true
  }
  return true
}

/** Returns the engine's refusal. */
async function join(
  engine: DockerEngine,
  { Id, NetworkSettings }: ContainerInspectInfo,
  { id, name }: AccountNetwork,
  aliases: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  const network = engine.docker.getNetwork(id)
  const leave = { Container: Id, Force: true, abortSignal: signal }
  const enter = { Container: Id, EndpointConfig: { Aliases: [...aliases] }, abortSignal: signal }
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
