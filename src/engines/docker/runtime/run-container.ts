import type { ContainerInfo, ContainerInspectInfo } from 'dockerode'
import { notFound } from '../../../domain/errors.ts'
import { failpoint } from '../../../fault-injection/failpoint.ts'
import {
  type ContainerPhase,
  type ObservedRun,
  type RunContainer,
  type RunReference,
  RuntimeError,
  runName,
} from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf, tolerating } from '../engine-answers.ts'
import { refusedAs } from '../engine-words.ts'
import { LABEL } from '../labels.ts'
import type { AccountNetwork } from '../networks.ts'
import { labelledGroup, runFilters } from './container-labels.ts'
import { runSpec } from './container-spec.ts'
import { createContainer } from './create-container.ts'
import { findContainer } from './find-containers.ts'
import { isJoined, joining } from './holder.ts'
import type { NetworkHolders } from './network-holders.ts'
import { ensureNetworks } from './networks-of.ts'
import { observedReplica } from './observe.ts'
import { limitsRefused, prepareContainer } from './prepare.ts'
import { isGone, lostItsHolder, refusalOf } from './refusals.ts'
import { removeContainer } from './remove.ts'
import { cannotRun, commandFault, isRefusal, lastLineOf } from './start-fault.ts'
import type { TaskEngine } from './task.ts'

const AT_ONCE = 8

/** What runs are made with. */
export interface RunEngine extends TaskEngine {
  holders: NetworkHolders
}

export async function createRun(runs: RunEngine, run: RunContainer, signal: AbortSignal): Promise<ObservedRun> {
  const { engine } = runs
  try {
    const [network, ...others] = await ensureNetworks(engine, run)
    const id = await create(runs, run, network, signal)
    failpoint('container.created', run.appEnvId)
    await joinOthers(engine, id, others, signal)
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

/** Under no name: a run is not what others mean by it. */
async function joinOthers(
  { docker }: DockerEngine,
  Container: string,
  networks: readonly AccountNetwork[],
  abortSignal: AbortSignal,
): Promise<void> {
  const request = { Container, abortSignal }
  // 403: an earlier attempt has connected it.
  for (const { id } of networks) await tolerating([403], () => docker.getNetwork(id).connect(request))
}

/** In a connection that is held for it, or with one of its own, where the connection is not like all others. */
async function create(
  { engine, cores, processes, holders }: RunEngine,
  run: RunContainer,
  network: AccountNetwork,
  signal: AbortSignal,
): Promise<string> {
  const placement = { installationId: engine.installationId, cores: await cores(), processes }
  const within = (mode: string) =>
    createContainer(engine, runSpec(run, { ...placement, network: mode }), signal, { areLimitsRequired: true })
  const holder = isOfItsOwn(run) ? null : await holders.claim(run, network, signal)
  if (!holder) return (await within(network.name)).id
  try {
    const { id } = await within(joining(holder))
    holders.occupy(id, holder)
    return id
  } catch (error) {
    const isTaken = statusOf(error) === 409
    if (isTaken) holders.giveBack(holder)
    else holders.discard(holder)
    if (isTaken || signal.aborted) throw error
    return (await within(network.name)).id
  }
}

/** A name and a second network are a container's own, and would become the holder's. */
const isOfItsOwn = ({ group, settings }: RunContainer): boolean => group !== null || settings?.hostname !== undefined

const NEW = { phase: 'created', startedAt: null, finishedAt: null, exitCode: null, outOfMemory: false } as const

async function adopt(engine: DockerEngine, run: RunContainer, signal: AbortSignal): Promise<ObservedRun> {
  const name = runName(run)
  const existing = await findContainer(engine, name, signal)
  if (!existing) throw new Error(`Container ${name} is being removed`)
  const labels = existing.Config.Labels ?? {}
  if (labels[LABEL.installation] !== engine.installationId || labels[LABEL.operation] !== run.runId)
    throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by a container that is not Berth’s`)
  // The worker that created it may have been killed before it had its files.
  if (isNew(existing)) {
    const [, ...others] = await ensureNetworks(engine, run)
    await joinOthers(engine, existing.Id, others, signal)
    await prepareContainer(engine, existing.Id, { ...run, volume: null }, signal)
  }
  return inspectedRun(engine, existing)
}

/**
 * An engine starts a container again that has ended: so only one that never was started. False only where its command
 * cannot have run, because the caller makes another one then.
 */
export async function startRun(
  { engine, holders }: RunEngine,
  containerId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await findContainer(engine, containerId, signal)
  if (!found) throw notFound('container', containerId)
  if (!isNew(found)) return true
  try {
    await tolerating([304], () => engine.docker.getContainer(containerId).start({ abortSignal: signal }))
  } catch (error) {
    if (statusOf(error) === null) throw error
    if (await isGone(engine, containerId, error, signal)) throw notFound('container', containerId)
    if (refusedAs(error, 'startedBefore')) throw new RuntimeError('START_LOST', START_LOST)
    // A run has those limits only that its owner has set.
    if (refusedAs(error, 'limitRefused')) throw limitsRefused(messageOf(error))
    const hasNoConnection =
      refusedAs(error, 'bridgeGone') || refusedAs(error, 'networkGone') || (await lostItsHolder(engine, found, signal))
    if (!hasNoConnection) throw refusalOf(error)
    await removeContainer(engine, containerId, { graceSeconds: 0 }, signal)
    holders.release(containerId)
    return false
  }
  const { [LABEL.account]: accountId = '', [LABEL.appEnv]: appEnvId = '' } = found.Config.Labels ?? {}
  failpoint('container.started', appEnvId)
  if (mayBeJoined(found)) holders.refill({ accountId, appEnvId })
  return true
}

/** Whether a run like this one would join a holder. */
const mayBeJoined = ({ Id, Config, HostConfig }: ContainerInspectInfo): boolean =>
  isJoined(HostConfig.NetworkMode ?? '') ||
  (labelledGroup(Config.Labels ?? {}) === null && Id.startsWith(Config.Hostname))

const START_LOST =
  'The container engine was lost while it started the container, and it is unknown whether the command ran'

const isNew = ({ State }: ContainerInspectInfo): boolean =>
  State.Status === 'created' && State.StartedAt.startsWith('0001-')

export async function observeRuns(
  { engine, holders }: RunEngine,
  reference: RunReference,
  signal: AbortSignal,
): Promise<ObservedRun[]> {
  const { containerId, appEnvId } = reference
  // A caller that asks for all of them is about to tidy up.
  if (containerId === undefined && appEnvId === undefined) await holders.removeUnused(null, signal)
  if (containerId === undefined)
    return (await list(engine, reference, signal)).map((listed) => observedRun(engine, listed, null))
  const found = await findContainer(engine, containerId, signal)
  const isOurs = found?.Config.Labels?.[LABEL.installation] === engine.installationId
  const seen = isOurs ? inspectedRun(engine, found) : null
  if (!seen || ENDED.includes(seen.phase)) holders.release(containerId)
  if (!found || !seen || !ENDED.includes(seen.phase) || !cannotRun(seen.exitCode)) return seen ? [seen] : []
  return [{ ...seen, ...(await startFaultOf(engine, found, seen.name, signal)) }]
}

async function startFaultOf(
  engine: DockerEngine,
  { Id, Image: image }: ContainerInspectInfo,
  subject: string,
  signal: AbortSignal,
): Promise<Pick<ObservedRun, 'startFault'>> {
  const words = await lastLineOf(engine, Id, signal)
  return isRefusal(words) ? { startFault: (await commandFault(engine, { image, subject, words }, signal)).message } : {}
}

const ENDED: readonly ContainerPhase[] = ['exited', 'dead']

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

export async function removeRuns(
  { engine, holders }: RunEngine,
  reference: RunReference,
  signal: AbortSignal,
): Promise<void> {
  const { containerId } = reference
  const ids = containerId === undefined ? (await list(engine, reference, signal)).map(({ Id }) => Id) : [containerId]
  await inParallel(ids, AT_ONCE, async (id) => {
    await removeContainer(engine, id, { graceSeconds: 0 }, signal)
    holders.release(id)
  })
}
