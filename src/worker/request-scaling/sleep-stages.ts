import { recordedConfiguration } from '../../domain/configuration.ts'
import type { SleepDepth } from '../../domain/request-scaling.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { ExpectedReplica, ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Replica } from '../../storage/database/generated/prisma/client.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import { fenced } from '../claim/fenced.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { noteKind } from '../usage/frozen.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import { mayJoin } from '../version/rollout.ts'
import type { ScalingFacts } from './scaling-facts.ts'

/** A container that still has requests is kept for this long, again and again: a worker may be away meanwhile. */
const BUSY_SECONDS = 60
/** Since when its memory was measured may count. */
const MEASURED_MINUTES = 10
/** Unknown while asleep; a wake finds it out. */
const NO_ENDPOINT = { address: null, port: null }

/** The containers beyond the number get no new requests. Each ingress acknowledges that. */
export const shrink = ({ database, lease }: EnvironmentContext, appEnv: ClaimedAppEnv, containers: number) =>
  fenced(database, lease, async (tx) => {
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { replicasDesired: containers } })
    await tx.requestScaling.updateMany({ where: { appEnvId: appEnv.id }, data: { revision: { increment: 1 } } })
    await tx.$executeRaw`
      UPDATE replica SET state = 'DRAINING', drain_until = now() + make_interval(secs => ${BUSY_SECONDS})
      WHERE app_env_id = ${appEnv.id} AND rollout_id = ${appEnv.rolloutId} AND index >= ${containers} AND state <> 'DRAINING'`
    await notifyIngresses(tx)
  })

/** Of those that drain: what still has requests is kept, the first goes to sleep where none is wanted, the others go. */
export async function finishDrain(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  facts: ScalingFacts,
): Promise<void> {
  const { database, lease } = context
  const draining = appEnv.replicas.filter(
    ({ state, rolloutId }) => state === 'DRAINING' && rolloutId === facts.rolloutId,
  )
  const busy = draining.filter(({ name }) => facts.busy.includes(name))
  const idle = draining.filter((row) => !busy.includes(row))
  const maySleep = facts.containers === 0 && busy.length === 0
  const first = maySleep ? idle.find(({ index }) => index === 0) : undefined
  const leaving = idle.filter((row) => row !== first)
  const memoryMb = first ? await memoryOf(context, appEnv) : 0
  // Recorded before it is done: a reconcile that finds a running container that should sleep completes it.
  const depth = depthOf(context, first !== undefined, memoryMb)
  const asleep = { state: 'ASLEEP', drainUntil: null, ...NO_ENDPOINT } as const
  await fenced(database, lease, async (tx) => {
    await tx.$executeRaw`
      UPDATE replica SET drain_until = now() + make_interval(secs => ${BUSY_SECONDS})
      WHERE name = ANY(${busy.map(({ name }) => name)}::text[])`
    await tx.replica.deleteMany({ where: { name: { in: leaving.map(({ name }) => name) } } })
    if (!maySleep) return
    if (first) await tx.replica.updateMany({ where: { name: first.name }, data: asleep })
    await tx.$executeRaw`
      UPDATE request_scaling SET depth = ${depth}::"SleepDepth", depth_since = now(), asleep_since = now(),
        memory_mb = ${memoryMb}, depth_reason = ${`no request for ${facts.idleSeconds} s`}
      WHERE app_env_id = ${appEnv.id}`
    await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { replicasRunning: 0, replicasReady: 0 } })
    await notifyIngresses(tx)
  })
  failpoint('scaling.drained', appEnv.id)
  if (first && depth === 'FROZEN') await freezeInPlace(context, first)
  if (first && depth === 'STOPPED') await context.engine.stop(first.name, context.graceSeconds)
  await removeReplicas(context, leaving)
}

/**
 * A wake trusts the recorded address of a frozen container. One that still drained may have been started anew since it
 * was recorded, so what is recorded is where it is now.
 */
async function freezeInPlace(context: EnvironmentContext, row: Replica): Promise<void> {
  const { database, lease, engine } = context
  await engine.freeze(row.name)
  await noteKind(context, row.containerId, 'FROZEN')
  const frozen = (await engine.observe()).find(({ name, phase }) => name === row.name && phase === 'paused')
  const { containerId, address, port } = row
  if (frozen?.containerId !== containerId || frozen.address !== address || frozen.port !== port) return
  await fenced(database, lease, (tx) => tx.replica.updateMany({ where: { name: row.name }, data: { address, port } }))
}

const depthOf = ({ config }: EnvironmentContext, hasContainer: boolean, memoryMb: number): SleepDepth =>
  !hasContainer ? 'NONE' : memoryMb <= config.BERTH_FROZEN_MB ? 'FROZEN' : 'STOPPED'

/** As measured lately, else what it may use at most. */
async function memoryOf({ database }: EnvironmentContext, { id, currentContent }: ClaimedAppEnv): Promise<number> {
  const [measured] = await database.$queryRaw<{ memoryMb: number | null }[]>`
    SELECT max(memory_mb)::int AS "memoryMb" FROM metric_sample
    WHERE app_env_id = ${id} AND at > now() - make_interval(mins => ${MEASURED_MINUTES})`
  if (measured?.memoryMb) return measured.memoryMb
  return currentContent ? resourcesOf(recordedConfiguration(currentContent)).memoryMb : 0
}

/** A deeper sleep is cheaper to keep, and takes longer to wake from. */
export async function sleepDeeper(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  facts: ScalingFacts,
  { depth, reason }: { depth: SleepDepth; reason: string },
): Promise<void> {
  await sleepAt(context, appEnv, depth, reason)
  const { sleeping, rolloutId } = facts
  if (depth === 'STOPPED' && sleeping) await context.engine.stop(sleeping.name, context.graceSeconds)
  if (depth === 'NONE') await context.engine.remove({ rolloutId }, context.graceSeconds, expectedOf(appEnv))
}

/** What its next container may join; nothing where that has a connection of its own. */
function expectedOf(appEnv: ClaimedAppEnv): ExpectedReplica | undefined {
  const { id: appEnvId, accountId, cliEnvName, currentContent } = appEnv
  const joins = currentContent !== null && mayJoin(appEnv, recordedConfiguration(currentContent))
  return joins ? { accountId, appEnvId, cliEnvName } : undefined
}

const sleepAt = ({ database, lease }: EnvironmentContext, appEnv: ClaimedAppEnv, depth: SleepDepth, reason: string) =>
  fenced(database, lease, async (tx) => {
    await tx.$executeRaw`
      UPDATE request_scaling SET depth = ${depth}::"SleepDepth", depth_since = now(), depth_reason = ${reason}
      WHERE app_env_id = ${appEnv.id}`
    if (depth === 'NONE') await tx.replica.deleteMany({ where: { appEnvId: appEnv.id, state: 'ASLEEP' } })
  })

/** Corrects what is not as deep asleep as is recorded: a worker was killed in between, or the engine was restarted. */
export async function keepAsleep(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  observed: readonly ObservedReplica[],
): Promise<void> {
  const { requestScaling, replicas, rolloutId } = appEnv
  const depth = requestScaling?.depth
  if (!depth || depth === 'NONE') return
  const row = replicas.find(({ state }) => state === 'ASLEEP')
  const container = observed.find((one) => one.name === row?.name && one.rolloutId === rolloutId)
  if (!row || !container) return sleepAt(context, appEnv, 'NONE', 'its container is gone').then(() => {})
  const isUp = container.phase === 'running' || container.phase === 'restarting'
  if (depth === 'FROZEN' && container.phase === 'running') await freezeAgain(context, row)
  // What has ended while it was frozen cannot be unfrozen.
  if (depth === 'FROZEN' && !isUp && container.phase !== 'paused')
    await sleepAt(context, appEnv, 'STOPPED', 'its container has ended')
  if (depth === 'STOPPED' && (isUp || container.phase === 'paused'))
    await context.engine.stop(row.name, context.graceSeconds)
}

/** It may have been started anew, at another address, and need not be ready. */
async function freezeAgain(context: EnvironmentContext, { name, containerId }: Replica): Promise<void> {
  const { database, lease, engine } = context
  await fenced(database, lease, (tx) => tx.replica.updateMany({ where: { name }, data: NO_ENDPOINT }))
  await engine.freeze(name)
  await noteKind(context, containerId, 'FROZEN')
}
