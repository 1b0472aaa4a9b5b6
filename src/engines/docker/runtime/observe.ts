import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import type { ObservedReplica, ReplicaPhase } from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { LABEL } from '../labels.ts'
import { isConnected } from './connect-replica.ts'
import { labelledGroup } from './container-labels.ts'
import type { Reach } from './container-spec.ts'
import { findContainer, listReplicas, withNetwork } from './find-containers.ts'
import { membershipsOf } from './networks-of.ts'

const INSPECTIONS_AT_ONCE = 8

/** An inspection waits for the container's lock, which a hanging start may hold for long. */
const INSPECTION_SECONDS = 5

const PHASES: Record<string, ReplicaPhase> = {
  created: 'created',
  running: 'running',
  restarting: 'restarting',
  paused: 'paused',
  exited: 'exited',
  dead: 'dead',
  // On its way out, and as good as dead.
  removing: 'dead',
}

/** The list shows which containers exist; only each container's inspection has exit codes, times and restarts. */
export async function observeReplicas(
  engine: DockerEngine,
  { isBrief = false, ...filter }: { appEnvId?: string; isBrief?: boolean },
  reach: Reach,
  signal: AbortSignal,
): Promise<ObservedReplica[]> {
  const listed = await listReplicas(engine, filter, signal)
  const observed = await inParallel(listed, INSPECTIONS_AT_ONCE, async (container) => {
    const inspected = isBrief ? null : await inspectBriefly(engine, container.Id, signal)
    return inspected === 'gone' ? [] : [observedReplica(engine.installationId, container, inspected, reach)]
  })
  return observed.flat().sort((a, b) => a.index - b.index || a.name.localeCompare(b.name))
}

/**
 * One stuck container must not hide the others: if its inspection does not answer, it is reported from the list alone.
 */
async function inspectBriefly(engine: DockerEngine, id: string, signal: AbortSignal) {
  const brief = AbortSignal.timeout(INSPECTION_SECONDS * 1000)
  try {
    const bounded = AbortSignal.any([signal, brief])
    const found = await findContainer(engine, id, bounded)
    return found ? await withNetwork(engine, found, bounded) : ('gone' as const)
  } catch (error) {
    if (brief.aborted && !signal.aborted) return null
    throw error
  }
}

export function observedReplica(
  installationId: string,
  listed: Pick<ContainerInfo, 'Id' | 'Names' | 'Labels' | 'State'>,
  inspected: ContainerInspectInfo | null,
  reach: Reach,
): ObservedReplica {
  const label = (name: string) => listed.Labels[name] ?? ''
  const state = inspected?.State
  const phase = PHASES[state?.Status ?? listed.State] ?? 'dead'
  const member = { accountId: label(LABEL.account), group: labelledGroup(listed.Labels) }
  const memberships = membershipsOf(installationId, member)
  const hasEnded = phase === 'exited' || phase === 'dead' || phase === 'restarting'
  return {
    name: (listed.Names[0] ?? '').replace(/^\//, ''),
    containerId: listed.Id,
    accountId: label(LABEL.account),
    appId: label(LABEL.app),
    appEnvId: label(LABEL.appEnv),
    contentId: label(LABEL.content),
    rolloutId: label(LABEL.operation),
    generation: Number(label(LABEL.generation)),
    index: Number(label(LABEL.replica)),
    phase,
    ...((phase === 'running' || phase === 'paused') && inspected
      ? endpointOf(inspected, memberships[0].name, label(LABEL.port), reach)
      : { address: null, port: null }),
    hasOwnAddress: reach === 'address',
    // Unknown without an inspection, and then not to be acted upon.
    isConnected: phase !== 'running' || inspected === null || isConnected(inspected, memberships, reach),
    startedAt: dateOf(state?.StartedAt),
    finishedAt: dateOf(state?.FinishedAt),
    exitCode: hasEnded && state ? state.ExitCode : null,
    outOfMemory: state?.OOMKilled ?? false,
    restartCount: inspected?.RestartCount ?? 0,
  }
}

/** Where the ingress reaches it; no address until the engine has attached it to its network. */
function endpointOf({ NetworkSettings }: ContainerInspectInfo, network: string, port: string, reach: Reach) {
  if (reach !== 'address') {
    const binding = NetworkSettings.Ports[`${port}/tcp`]?.[0]
    return { address: binding?.HostIp ?? null, port: binding ? Number(binding.HostPort) : null }
  }
  return { address: NetworkSettings.Networks[network]?.IPAddress || null, port: port === '' ? null : Number(port) }
}

/** Engines write the year 1 for "never". */
function dateOf(text: string | undefined): Date | null {
  return text === undefined || text.startsWith('0001-') ? null : new Date(text)
}
