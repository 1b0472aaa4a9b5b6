import { wantedReplicas } from '../../app-types/behaviours.ts'
import type { Content, Replica } from '../../database/generated/prisma/client.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import type { ClaimedAppEnv, ClaimedOperation, EnvironmentContext } from '../context/environment-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { probeReplica } from '../probes/probe-replica.ts'
import { probeStartupAndLiveness } from '../probes/startup-and-liveness.ts'
import { probeService } from '../service/probe-service.ts'
import { observationOf } from './observation.ts'
import { purge } from './purge.ts'
import { recordEngineUnreachable, recordObservation } from './record-observation.ts'
import { removeFailedContainers } from './remove-failed-containers.ts'
import { repair } from './repair.ts'
import { type DesiredReplicas, planReplicas, type ReplicaPlan } from './replica-plan.ts'
import { isUnready, type Probed, routesOf, wasReady } from './replica-states.ts'
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
      desiredState(appEnv, operation),
      appEnv.replicas,
      observed,
      context.lease.claim.clock.now(),
    )
    const probed = await probeAll(context, appEnv, plan)
    await record(context, appEnv, plan, probed)
    const restarted = await removeFailedContainers(context, appEnv, probed)
    const rotated = operation ? 0 : await resumeRotation(context, appEnv, probed)
    const wasBroughtBack = await repair(context, appEnv, plan, restarted + rotated > 0)
    if (appEnv.deletedAt) {
      await purge(context, appEnv)
      return { requeueAfterSeconds: NEVER_SECONDS, observed: true }
    }
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

function desiredState(appEnv: ClaimedAppEnv, operation: ClaimedOperation | undefined): DesiredReplicas {
  if (appEnv.deletedAt) return { rolloutId: null, replicas: 0, upcoming: null }
  const { rolloutId, replicasDesired } = appEnv
  return {
    rolloutId,
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

async function probeAll(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { wanted }: ReplicaPlan,
): Promise<Probed[]> {
  const content = appEnv.currentContent
  if (!content) return []
  return Promise.all(
    wanted.map(async ({ index, observed }) => {
      const row = appEnv.replicas.find((one) => one.rolloutId === appEnv.rolloutId && one.index === index) ?? null
      if (observed?.phase !== 'running') return { index, observed, row, failure: null, failures: 0 }
      return { index, observed, row, ...(await probeOne(context, appEnv, content, observed, row)) }
    }),
  )
}

async function probeOne(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  observed: ObservedReplica,
  row: Replica | null,
): Promise<Pick<Probed, 'failure' | 'failures' | 'failuresAllowed' | 'failureReason'>> {
  const { probes, disk, signal, lease } = context
  const configuration = recordedConfiguration(content)
  const excess = disk.excessOf(observed.containerId)
  if (excess) return { failure: excess, failures: 0, failureReason: excess }
  const now = lease.claim.clock.now()
  const circumstances = { now, wasReady: wasReady({ row, observed }), probes, signal }
  const { hasStarted, failureReason } = await probeStartupAndLiveness(observed, configuration, circumstances)
  if (failureReason) return { failure: failureReason, failures: 0, failureReason }
  if (!hasStarted) return { failure: 'its startup probe has not succeeded yet', failures: 0 }
  const { ready, reason } =
    (await probeService(context, appEnv, content, observed)) ?? (await probeReplica(observed, configuration, signal))
  const failures = probes.recordResult(observed.containerId, ready)
  const failuresAllowed = configuration.healthCheck.readiness?.failureThreshold
  return { failure: ready ? null : reason, failures, failuresAllowed }
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
  const observation = observationOf(plan, unready)
  const observedReason = observation.observedReason && (await context.quote(observation.observedReason))
  await recordObservation(context, appEnv, plan, { ...observation, observedReason, routes })
}

function requeueAfter(
  { config, lease }: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  probed: Probed[],
): number {
  if (plan.wanted.length === 0) return IDLE_SECONDS
  const now = lease.claim.clock.now().getTime()
  const isYoung = (replica: ObservedReplica | null) => now - (replica?.startedAt?.getTime() ?? 0) < YOUNG_MS
  const mayTurnReady = probed.some((one) => (one.failure || one.observed?.phase !== 'running') && isYoung(one.observed))
  const { liveness } = (appEnv.currentContent && recordedConfiguration(appEnv.currentContent).healthCheck) ?? {}
  const pause = Math.min(config.BERTH_RECONCILE_SECONDS, liveness?.periodSeconds ?? Number.POSITIVE_INFINITY)
  return mayTurnReady ? Math.min(1, pause) : pause
}
