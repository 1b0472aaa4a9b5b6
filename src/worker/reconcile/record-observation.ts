import type { Transaction } from '../../storage/database/client.ts'
import type { Replica } from '../../storage/database/generated/prisma/client.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import { record } from '../../storage/events/record.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { engineName } from '../scope/engine-scope.ts'
import type { Observation } from './observation.ts'
import type { ReplicaPlan } from './replica-plan.ts'
import { isSameRoute, type ReplicaRoute } from './replica-states.ts'

type ObservationWithRoutes = Observation & { routes: ReplicaRoute[] }

/**
 * Records what a reconcile found: health, and which replicas take traffic. Usually nothing has changed, and nothing is
 * written. Routes that lead nowhere are removed before their containers are.
 */
export async function recordObservation(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  observation: ObservationWithRoutes,
): Promise<void> {
  const changed = observation.routes.filter((route) => !hasRoute(appEnv.replicas, route))
  const hasChanged = !isSameObservation(appEnv, observation)
  if (!hasChanged && changed.length + plan.outdated.length + plan.gone.length === 0) return
  await fenced(context.database, context.lease, async (tx) => {
    for (const route of changed) await saveRoute(tx, appEnv, route)
    if (plan.outdated.length > 0) await drainOutdated(tx, plan, context.config.BERTH_DRAIN_SECONDS)
    await tx.replica.deleteMany({ where: { name: { in: plan.gone.map((row) => row.name) } } })
    if (hasChanged) await saveObservation(tx, context, appEnv, observation)
    if (changed.length + plan.outdated.length + plan.gone.length > 0) await notifyIngresses(tx)
    if (appEnv.health !== observation.health) await record(tx, appEnv.accountId, [healthChanged(appEnv, observation)])
  })
}

/** When the engine does not answer, the last known numbers stay; only the health becomes UNKNOWN. */
export async function recordEngineUnreachable(context: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<void> {
  const { replicasRunning, replicasReady, replicasDesired } = appEnv
  if (replicasDesired === 0 || appEnv.health === 'UNKNOWN') return
  const observation = {
    health: 'UNKNOWN',
    replicasRunning,
    replicasReady,
    observedReason: `${engineName(context.scope)} does not answer`,
  } as const
  await fenced(context.database, context.lease, async (tx) => {
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: observation })
    await record(tx, appEnv.accountId, [healthChanged(appEnv, observation)])
  })
}

const drainOutdated = (tx: Transaction, { outdated }: ReplicaPlan, seconds: number): Promise<number> =>
  tx.$executeRaw`
    UPDATE replica SET state = 'DRAINING', drain_until = now() + make_interval(secs => ${seconds})
    WHERE name = ANY(${outdated.map((row) => row.name)}::text[])`

function saveRoute(tx: Transaction, appEnv: ClaimedAppEnv, route: ReplicaRoute): Promise<Replica> {
  const { name, ...columns } = route
  const owner = { appEnvId: appEnv.id, contentId: appEnv.currentContentId ?? '', rolloutId: appEnv.rolloutId ?? '' }
  const update = { ...columns, drainUntil: null }
  return tx.replica.upsert({ where: { name }, create: { name, ...owner, ...update }, update })
}

async function saveObservation(
  tx: Transaction,
  { lease }: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  observation: ObservationWithRoutes,
): Promise<void> {
  const { health, replicasRunning, replicasReady, observedReason } = observation
  const data = { health, replicasRunning, replicasReady, observedReason, observedAt: lease.claim.clock.now() }
  await tx.appEnv.updateMany({ where: { id: appEnv.id }, data })
}

function healthChanged(appEnv: ClaimedAppEnv, observation: Observation): NewEvent {
  const { health, replicasRunning: running, replicasReady: ready, observedReason: reason } = observation
  const replicas = { desired: appEnv.replicasDesired, running, ready }
  const payload = { health, previousHealth: appEnv.health, replicas, reason }
  return { type: 'appEnv.healthChanged', appId: appEnv.appId, appEnvId: appEnv.id, payload }
}

const hasRoute = (rows: readonly Replica[], route: ReplicaRoute): boolean =>
  rows.some((row) => row.name === route.name && isSameRoute(row, route))

const isSameObservation = (appEnv: ClaimedAppEnv, observation: Observation): boolean =>
  appEnv.health === observation.health &&
  appEnv.replicasRunning === observation.replicasRunning &&
  appEnv.replicasReady === observation.replicasReady &&
  appEnv.observedReason === observation.observedReason
