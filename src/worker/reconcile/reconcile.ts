import { wantedReplicas } from '../../app-types/behaviours.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { ClaimedAppEnv, ClaimedOperation, EnvironmentContext } from '../context/environment-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { keepAsleep } from '../request-scaling/sleep-stages.ts'
import { archiveWal } from './archive-wal.ts'
import { measureLag } from './measure-lag.ts'
import { noteEarlyExit } from './note-early-exit.ts'
import { observationOf } from './observation.ts'
import { probeReplicas } from './probe-replicas.ts'
import { purge } from './purge.ts'
import { recordEngineUnreachable, recordObservation } from './record-observation.ts'
import { removeFailedContainers } from './remove-failed-containers.ts'
import { repair } from './repair.ts'
import { type DesiredReplicas, planReplicas, type ReplicaPlan } from './replica-plan.ts'
import { hasUsedUpFailures, isUnready, type Probed, routesOf } from './replica-states.ts'
import { resumeRotation } from './resume-rotation.ts'

/** Result of one reconcile. */
export interface ReconcileResult {
  requeueAfterSeconds: number
  /** The engine answered, and its answer is recorded. */
  observed: boolean
}

const SOON_SECONDS = 0.3
/** A container this young may become ready at any moment. */
const YOUNG_MS = 30_000
/** Nothing runs that could change. Containers started by hand are found sooner, by the sweep. */
const IDLE_SECONDS = 60
/** The engine's events announce changes in between. */
const ASLEEP_SECONDS = 300
const NEVER_SECONDS = 10 * 365 * 86_400

/**
 * Compares desired with observed state, records what it observes, and repairs. It relies on nothing but these two
 * states, so any worker may repeat it, or cut it short anywhere.
 */
export async function reconcile(context: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<ReconcileResult> {
  const { config, engine } = context
  const requeueLater = { requeueAfterSeconds: config.BERTH_RECONCILE_SECONDS, observed: false }
  const operation = appEnv.operations[0]
  // An open stop or delete has removed containers on purpose: they must not be restarted.
  if (operation?.kind === 'STOP' || operation?.kind === 'DELETE') return requeueLater
  try {
    const observed = await engine.observe()
    const plan = planReplicas(
      { ...desiredState(appEnv, operation), engineRestarts: config.BERTH_ENGINE_RESTARTS === 'on' },
      appEnv.replicas,
      observed,
      context.lease.claim.clock.now(),
    )
    const probed = await probeReplicas(context, appEnv, plan)
    await record(context, appEnv, plan, probed)
    await noteEarlyExit(context, appEnv, plan)
    const restarted = await removeFailedContainers(context, appEnv, probed)
    const rotated = operation ? 0 : await resumeRotation(context, appEnv, probed)
    if (!operation) await keepAsleep(context, appEnv, observed)
    const wasBroughtBack = await repairAll(context, appEnv, plan, probed, restarted + rotated > 0)
    if (appEnv.deletedAt) {
      await purge(context, appEnv)
      return { requeueAfterSeconds: NEVER_SECONDS, observed: true }
    }
    if (!wasBroughtBack) await measureLag(context, appEnv, probed)
    if (!wasBroughtBack) await archiveWal(context, appEnv, probed)
    return {
      requeueAfterSeconds: wasBroughtBack ? SOON_SECONDS : requeueAfter(context, appEnv, plan, probed),
      observed: true,
    }
  } catch (error) {
    if (!isEngineAway(error)) throw error
    await recordEngineUnreachable(context, appEnv)
    return requeueLater
  }
}

async function repairAll(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  probed: readonly Probed[],
  hasRemoved: boolean,
): Promise<boolean> {
  const disconnected = probed.flatMap(({ mayConnect, observed }) => (mayConnect && observed ? [observed] : []))
  const wasBroughtBack = await repair(context, appEnv, plan, hasRemoved || disconnected.length > 0)
  const now = context.lease.claim.clock.now()
  if (wasBroughtBack) for (const replica of disconnected) context.repairs.recordConnect(replica, now)
  return wasBroughtBack
}

function desiredState(appEnv: ClaimedAppEnv, operation: ClaimedOperation | undefined): DesiredReplicas {
  if (appEnv.deletedAt) return { rolloutId: null, replicas: 0, upcoming: null }
  const { rolloutId, replicasDesired } = appEnv
  return {
    rolloutId,
    maySleep: rolloutId !== null && appEnv.requestScaling !== null,
    replicas: rolloutId && appEnv.currentContent ? replicasDesired : 0,
    upcoming: operation ? upcomingOf(appEnv, operation) : null,
  }
}

/**
 * Scaling adds to the serving rollout; every other operation starts a rollout of its own, named after the operation.
 */
function upcomingOf(appEnv: ClaimedAppEnv, operation: ClaimedOperation): DesiredReplicas['upcoming'] {
  if (operation.contentId) return { rolloutId: operation.id, replicas: Number.POSITIVE_INFINITY }
  return appEnv.rolloutId ? { rolloutId: appEnv.rolloutId, replicas: wantedReplicas(appEnv) } : null
}

async function record(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  probed: Probed[],
): Promise<void> {
  const unready = new Map(
    probed.flatMap((one) => (isUnready(one) ? [[one.observed?.containerId ?? '', one.failure ?? '']] : [])),
  )
  const content = appEnv.currentContent
  const routes =
    content && appEnv.rolloutId
      ? routesOf({ cliEnvName: appEnv.cliEnvName, version: content.version, rolloutId: appEnv.rolloutId }, probed)
      : []
  const observation = observationOf(plan, unready, appEnv)
  const observedReason = observation.observedReason && (await context.quote(observation.observedReason))
  await recordObservation(context, appEnv, plan, { ...observation, observedReason, routes })
}

function requeueAfter(
  { config, lease }: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  probed: Probed[],
): number {
  if (plan.wanted.length === 0) return appEnv.requestScaling?.depth ? ASLEEP_SECONDS : IDLE_SECONDS
  const now = lease.claim.clock.now().getTime()
  const isYoung = (replica: ObservedReplica | null) => now - (replica?.startedAt?.getTime() ?? 0) < YOUNG_MS
  const mayTurnReady = probed.some((one) => (one.failure || one.observed?.phase !== 'running') && isYoung(one.observed))
  const { liveness } = (appEnv.currentContent && recordedConfiguration(appEnv.currentContent).healthCheck) ?? {}
  const pause = Math.min(config.BERTH_RECONCILE_SECONDS, liveness?.periodSeconds ?? Number.POSITIVE_INFINITY)
  // A network that does not answer is asked again soon, until it is certain that it will not.
  const isUndecided = probed.some((one) => one.isUnreachable && !hasUsedUpFailures(one))
  return mayTurnReady || isUndecided ? Math.min(1, pause) : pause
}
