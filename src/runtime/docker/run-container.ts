import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { notFound } from '../../domain/errors.ts'
import type { DockerEngine } from '../../engine/docker/connection.ts'
import { statusOf, tolerating } from '../../engine/docker/engine-answers.ts'
import { LABEL } from '../../engine/docker/labels.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { RuntimeError } from '../container-runtime.ts'
import { inParallel } from '../in-parallel.ts'
import { type ObservedRun, type RunContainer, type RunReference, runName } from '../run.ts'
import { hasNoBridge } from './connect-replica.ts'
import { runFilters } from './container-labels.ts'
import { runSpec } from './container-spec.ts'
import { createContainer, leaveLimits } from './create-container.ts'
import { findContainer } from './find-containers.ts'
import { observedReplica } from './observe.ts'
import { prepareContainer } from './prepare.ts'
import { isGone, isWedged, lostItsNetwork, refusalOf, refusesLimits } from './refusals.ts'
import { removeContainer } from './remove.ts'
import type { TaskEngine } from './task.ts'

const AT_ONCE = 8

export async function createRun(
  { engine, cores, processes }: TaskEngine,
  run: RunContainer,
  signal: AbortSignal,
): Promise<ObservedRun> {
  const [network, coreCount] = await Promise.all([engine.networks.ensure(run.accountId), cores()])
  const { installationId } = engine
  try {
    const spec = runSpec(run, { installationId, network: network.name, cores: coreCount, processes })
    const { id } = await createContainer(engine, spec, signal)
    failpoint('container.created', run.appEnvId)
    await prepareContainer(engine, id, { ...run, volume: null }, signal)
    return {
      ...NEW,
      name: runName(run),
      containerId: id,
      appEnvId: run.appEnvId,
      runId: run.runId,
      attempt: run.attempt,
    }
  } catch (error) {
    if (statusOf(error) === 409) return adopt(engine, run, signal)
    throw refusalOf(error)
  }
}

const NEW = { phase: 'created', startedAt: null, finishedAt: null, exitCode: null, outOfMemory: false } as const

async function adopt(engine: DockerEngine, run: RunContainer, signal: AbortSignal): Promise<ObservedRun> {
  const name = runName(run)
  const holder = await findContainer(engine, name, signal)
  if (!holder) throw new Error(`Container ${name} is being removed`)
  const labels = holder.Config.Labels ?? {}
  if (labels[LABEL.installation] !== engine.installationId || labels[LABEL.operation] !== run.runId)
    throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by someone else's container`)
  // Whoever created it may have been killed before it had its files.
  if (isNew(holder)) await prepareContainer(engine, holder.Id, { ...run, volume: null }, signal)
  return inspectedRun(engine, holder)
}

/**
 * An engine starts a container again that has ended: so only one that never was started. False only where its command
 * cannot have run, because the caller makes another one then.
 */
export async function startRun(engine: DockerEngine, containerId: string, signal: AbortSignal): Promise<boolean> {
  const found = await findContainer(engine, containerId, signal)
  if (!found) throw notFound('container', containerId)
  if (!isNew(found)) return true
  try {
    await tolerating([304], () => engine.docker.getContainer(containerId).start({ abortSignal: signal }))
  } catch (error) {
    // A wedged one may run, under a start that the engine has forgotten.
    if (isGone(error) || isWedged(error)) throw notFound('container', containerId)
    if (refusesLimits(error)) leaveLimits(engine)
    else if (!hasNoBridge(error) && !lostItsNetwork(error)) throw refusalOf(error)
    await removeContainer(engine, containerId, { graceSeconds: 0 }, signal)
    return false
  }
  failpoint('container.started', found.Config.Labels?.[LABEL.appEnv] ?? '')
  return true
}

const isNew = ({ State }: ContainerInspectInfo): boolean =>
  State.Status === 'created' && State.StartedAt.startsWith('0001-')

export async function observeRuns(
  engine: DockerEngine,
  reference: RunReference,
  signal: AbortSignal,
): Promise<ObservedRun[]> {
  const { containerId } = reference
  if (containerId === undefined)
    return (await list(engine, reference, signal)).map((listed) => observedRun(engine, listed, null))
  const found = await findContainer(engine, containerId, signal)
  return found?.Config.Labels?.[LABEL.installation] === engine.installationId ? [inspectedRun(engine, found)] : []
}

function list(engine: DockerEngine, reference: RunReference, signal: AbortSignal): Promise<ContainerInfo[]> {
  const filters = runFilters(engine.installationId, reference)
  return engine.docker.listContainers({ all: true, filters, abortSignal: signal })
}

function inspectedRun(engine: DockerEngine, inspected: ContainerInspectInfo): ObservedRun {
  const { Id, Name, Config, State } = inspected
  return observedRun(engine, { Id, Names: [Name], Labels: Config.Labels ?? {}, State: State.Status }, inspected)
}

function observedRun(
  { installationId }: DockerEngine,
  listed: Pick<ContainerInfo, 'Id' | 'Names' | 'Labels' | 'State'>,
  inspected: ContainerInspectInfo | null,
): ObservedRun {
  const { rolloutId, index, ...seen } = observedReplica(installationId, listed, inspected, 'address')
  const { name, containerId, appEnvId, phase, startedAt, finishedAt, exitCode, outOfMemory } = seen
  return {
    name,
    containerId,
    appEnvId,
    phase,
    startedAt,
    finishedAt,
    exitCode,
    outOfMemory,
    runId: rolloutId,
    attempt: index,
  }
}

export async function stopRun(
  engine: DockerEngine,
  containerId: string,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const container = engine.docker.getContainer(containerId)
  await tolerating([304, 404, 409], () => container.stop({ t: graceSeconds, abortSignal: signal }))
  failpoint('container.stopped')
}

export async function removeRuns(engine: DockerEngine, reference: RunReference, signal: AbortSignal): Promise<void> {
  const { containerId } = reference
  const ids = containerId === undefined ? (await list(engine, reference, signal)).map(({ Id }) => Id) : [containerId]
  await inParallel(ids, AT_ONCE, (id) => removeContainer(engine, id, { graceSeconds: 0 }, signal))
}
