import type { Transaction } from '../../database/client.ts'
import type { Replica } from '../../database/generated/prisma/client.ts'
import type { NewEvent } from '../../events/event.ts'
import { notifyIngresses } from '../../events/notifications.ts'
import { record } from '../../events/record.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import type { Observation } from './observation.ts'
import type { ReplicaPlan } from './replica-plan.ts'
import { isSameRoute, type ReplicaRoute } from './replica-states.ts'

type ObservationWithRoutes = Observation & { routes: ReplicaRoute[] }

/**
 * Writes what a look found: health, and which replicas take traffic. Mostly it is what was known before, and then
 * nothing is written. Routes that lead nowhere are gone from the table before their containers are.
 */
export async function recordObservation(
  work: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  plan: ReplicaPlan,
  seen: ObservationWithRoutes,
): Promise<void> {
  const changed = seen.routes.filter((route) => !hasRoute(appEnv.replicas, route))
  const isNews = !isSameObservation(appEnv, seen)
  if (!isNews && changed.length + plan.outdated.length + plan.forgotten.length === 0) return
  await fenced(work.database, work.lease, async (tx) => {
    for (const route of changed) await saveRoute(tx, appEnv, route)
    if (plan.outdated.length > 0) await drainOutdated(tx, plan, work.config.BERTH_DRAIN_SECONDS)
    await tx.replica.deleteMany({ where: { name: { in: plan.forgotten.map((row) => row.name) } } })
    if (isNews) await saveObservation(tx, work, appEnv, seen)
    if (changed.length + plan.outdated.length + plan.forgotten.length > 0) await notifyIngresses(tx)
    if (appEnv.health !== seen.health) await record(tx, appEnv.accountId, [healthChanged(appEnv, seen)])
  })
}

/** An engine that does not answer says nothing about the containers: what they were last seen to be stays, but for the word. */
export async function recordEngineUnreachable(work: EnvironmentContext, appEnv: ClaimedAppEnv): Promise<void> {
  const { replicasRunning, replicasReady, replicasDesired } = appEnv
  if (replicasDesired === 0 || appEnv.health === 'UNKNOWN') return
  const seen = {
    health: 'UNKNOWN',
    replicasRunning,
    replicasReady,
    observedReason: 'The container engine does not answer',
  } as const
  await fenced(work.database, work.lease, async (tx) => {
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: seen })
    await record(tx, appEnv.accountId, [healthChanged(appEnv, seen)])
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
  seen: ObservationWithRoutes,
): Promise<void> {
  const { health, replicasRunning, replicasReady, observedReason } = seen
  const data = { health, replicasRunning, replicasReady, observedReason, observedAt: lease.claim.clock.now() }
  await tx.appEnv.updateMany({ where: { id: appEnv.id }, data })
}

function healthChanged(appEnv: ClaimedAppEnv, seen: Observation): NewEvent {
  const { health, replicasRunning: running, replicasReady: ready, observedReason: reason } = seen
  const replicas = { desired: appEnv.replicasDesired, running, ready }
  const payload = { health, previousHealth: appEnv.health, replicas, reason }
  return { type: 'appEnv.healthChanged', appId: appEnv.appId, appEnvId: appEnv.id, payload }
}

const hasRoute = (rows: readonly Replica[], route: ReplicaRoute): boolean =>
  rows.some((row) => row.name === route.name && isSameRoute(row, route))

const isSameObservation = (appEnv: ClaimedAppEnv, seen: Observation): boolean =>
  appEnv.health === seen.health &&
  appEnv.replicasRunning === seen.replicasRunning &&
  appEnv.replicasReady === seen.replicasReady &&
  appEnv.observedReason === seen.observedReason
