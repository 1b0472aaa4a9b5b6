import { setTimeout as pause } from 'node:timers/promises'
import type { ContainerInfo } from 'dockerode'
import { replicaName } from '../../../domain/replica-name.ts'
import { failpoint } from '../../../fault-injection/failpoint.ts'
import { type Rollout, RuntimeError } from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf, tolerating } from '../engine-answers.ts'
import { type EngineWord, refusedAs } from '../engine-words.ts'
import { LABEL } from '../labels.ts'
import type { AccountNetwork } from '../networks.ts'
import { connectReplica } from './connect-replica.ts'
import { type Reach, replicaSpec } from './container-spec.ts'
import { createContainer, leaveLimits } from './create-container.ts'
import { checkStarted } from './detect-failed-start.ts'
import { findContainer, listReplicas } from './find-containers.ts'
import { joining } from './holder.ts'
import { ensureNetworks } from './networks-of.ts'
import { hasOwnLimits, limitsRefused, prepareContainer } from './prepare.ts'
import { lostItsHolder, refusalOf } from './refusals.ts'
import { removeContainer, removeReplica } from './remove.ts'
import type { ReplicaNetworks } from './replica-networks.ts'
import { replicaOf } from './replica-of.ts'

const REPLICAS_AT_ONCE = 4

/** Each attempt after the first follows a container that vanished, or had to be replaced, while we worked. */
const ATTEMPTS = 5
const ATTEMPT_PAUSE_MS = 50

/** Grace of replicas beyond the wanted number; callers that must drain them first remove them by index instead. */
const SURPLUS_GRACE_SECONDS = 10

export interface Application {
  engine: DockerEngine
  rollout: Rollout
  signal: AbortSignal
  reach: Reach
  cores: () => Promise<number>
  processes: number
  networks: ReplicaNetworks
  engineRestarts: boolean
  /** A replica runs; it is not known yet whether its command can be run. */
  onStarted: (index: number) => void
}

interface Known {
  id: string
  state: string
  /** The networks that it was created for; unknown for one that was found. */
  networks?: readonly AccountNetwork[]
}

/** One list, then only the calls that change something; a replica that is there is inspected for its network. */
export async function applyRollout(options: Omit<Application, 'onStarted'> & { onStarted: () => void }): Promise<void> {
  const { engine, rollout, signal } = options
  const started = new Set<number>()
  const onStarted = (index: number) => {
    started.add(index)
    if (started.size === rollout.replicas) options.onStarted()
  }
  const application = { ...options, onStarted }
  const listed = await listReplicas(engine, { appEnvId: rollout.appEnvId, rolloutId: rollout.rolloutId }, signal)
  const byIndex = new Map(listed.map((container) => [indexOf(container), container]))
  const wanted = Array.from({ length: rollout.replicas }, (_, index) => async () => {
    const found = byIndex.get(index)
    await ensureReplica(application, index, found ? { id: found.Id, state: found.State } : null)
  })
  const surplus = listed
    .filter((container) => indexOf(container) >= rollout.replicas)
    .map((container) => () => removeReplica(engine, container, { graceSeconds: SURPLUS_GRACE_SECONDS }, signal))
  await inParallel([...wanted, ...surplus], REPLICAS_AT_ONCE, (work) => work())
}

const indexOf = (container: ContainerInfo): number => Number(container.Labels[LABEL.replica])

async function ensureReplica(application: Application, index: number, listed: Known | null): Promise<void> {
  let replica = listed
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (!replica) replica = await createOnNetworks(application, index)
    else if (!(await connectReplica(application, index, replica))) replica = await createOnNetworks(application, index)
    if (replica && (await startReplica(application, index, replica))) return
    replica = null
    await pause(ATTEMPT_PAUSE_MS * attempt, undefined, { signal: application.signal })
  }
  throw new Error(`Container ${replicaName(application.rollout, index)} kept disappearing while it was being started`)
}

/** Engines create a container on one network, and connect it to others before it is started. */
async function createOnNetworks(application: Application, index: number): Promise<Known | null> {
  const created = await createOrAdopt(application, index)
  if (created && application.rollout.group) await connectReplica(application, index, created)
  return created
}

/** Null when the container that held the name is gone, or not yet there because another caller is creating it. */
async function createOrAdopt(application: Application, index: number): Promise<Known | null> {
  const { engine, rollout } = application
  const networks = await ensureNetworks(engine, rollout)
  try {
    const id = await create(application, index, networks[0])
    failpoint('container.created', rollout.appEnvId)
    return { id, state: 'created', networks }
  } catch (error) {
    if (statusOf(error) === 409) return adopt(application, replicaName(rollout, index))
    throw refusalOf(error)
  }
}

/** In a connection that is held for it, or with one of its own. */
async function create(
  { engine, rollout, signal, cores, reach, processes, networks, engineRestarts }: Application,
  index: number,
  network: AccountNetwork,
): Promise<string> {
  const placement = {
    installationId: engine.installationId,
    reach,
    processes,
    engineRestarts,
    cores: await cores(),
  }
  const within = async (mode: string) =>
    (
      await createContainer(engine, replicaSpec(rollout, index, { ...placement, network: mode }), signal, {
        areLimitsRequired: hasOwnLimits(rollout),
      })
    ).id
  // Only the first container sleeps.
  const holder = index === 0 && reach === 'address' ? await networks.claim(rollout, network, signal) : null
  if (!holder) return within(network.name)
  try {
    return await within(joining(holder))
  } catch (error) {
    networks.giveBack(holder)
    if (statusOf(error) === 409 || signal.aborted) throw error
    return within(network.name)
  }
}

async function adopt({ engine, rollout, signal }: Application, name: string): Promise<Known | null> {
  const holder = await findContainer(engine, name, signal)
  if (!holder) return null
  const labels = holder.Config.Labels ?? {}
  if (labels[LABEL.installation] === engine.installationId && labels[LABEL.operation] === rollout.rolloutId) {
    return { id: holder.Id, state: holder.State.Status }
  }
  throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by a container that is not Berth’s`)
}

/** What another container in its place does not meet again. */
const MENDED_ANEW: readonly EngineWord[] = ['bridgeGone', 'networkGone', 'limitRefused', 'startedBefore']

/** False when the container cannot be used any more, and was removed. */
async function startReplica(application: Application, index: number, known: Known): Promise<boolean> {
  const { id, state, networks = [] } = known
  const { engine, rollout, signal, onStarted } = application
  if (state === 'running' || state === 'restarting') {
    onStarted(index)
    return true
  }
  const container = engine.docker.getContainer(id)
  try {
    if (state === 'paused') {
      await tolerating([500, 409], () => container.unpause({ abortSignal: signal }))
      onStarted(index)
      return true
    }
    if (state === 'dead' || state === 'removing') {
      await removeContainer(engine, id, { graceSeconds: 0 }, signal)
      return false
    }
    if (state === 'created') await prepareContainer(engine, id, replicaOf(rollout, index), signal)
    await tolerating([304], () => container.start({ abortSignal: signal }))
  } catch (error) {
    if (statusOf(error) === null) throw error
    const found = await findContainer(engine, id, signal)
    if (found === null || found.State.Status === 'removing') return false
    if (refusedAs(error, 'bridgeGone'))
      for (const network of networks)
        if (messageOf(error).includes(network.bridge)) await engine.networks.discard(network.id, signal)
    // What its owner has asked for is not left out in silence.
    if (refusedAs(error, 'limitRefused') && hasOwnLimits(rollout)) throw limitsRefused(messageOf(error))
    if (refusedAs(error, 'limitRefused')) leaveLimits(engine)
    const startsAnew =
      MENDED_ANEW.some((word) => refusedAs(error, word)) || (await lostItsHolder(engine, found, signal))
    if (!startsAnew) throw refusalOf(error)
    await removeContainer(engine, id, { graceSeconds: 0 }, signal)
    return false
  }
  failpoint('container.started', rollout.appEnvId)
  onStarted(index)
  await checkStarted(engine, id, replicaName(rollout, index), signal)
  return true
}
