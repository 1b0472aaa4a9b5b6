import { isRouted, isScaledByRequests, requestScalingOf, wantedReplicas } from '../../app-types/behaviours.ts'
import { healthOf } from '../../domain/app-env.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { matchAutomaticHosts } from '../../storage/references/automatic-hosts.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'

/** A restart applies no pending change of the number of containers. */
export const containersOf = ({ appEnv, operation }: VersionAttemptContext): number =>
  operation.kind === 'RESTART' ? appEnv.replicasDesired : appEnv.containers

/** What else becomes true with the switch. */
export interface RouteAlso {
  appEnv: Prisma.AppEnvUncheckedUpdateManyInput
  write: (tx: Transaction) => Promise<unknown>
}

/**
 * Switches traffic in one transaction: the new replicas get it, the version becomes the current one, and the old
 * replicas start to drain. The new ones are ready, so everything in an ingress's table, old or new, can be reached.
 */
export async function route(
  attempt: VersionAttemptContext,
  ready: readonly ObservedReplica[],
  also: RouteAlso = { appEnv: {}, write: async () => {} },
): Promise<void> {
  const { appEnv, content, operation, lease } = attempt
  const now = lease.claim.clock.now()
  // Replicas that copy the first one come up after it; where requests decide, as many are wanted as there are.
  const desired = isScaledByRequests(appEnv.app)
    ? ready.length
    : Math.max(ready.length, wantedReplicas({ app: appEnv.app, containers: containersOf(attempt) }))
  const replicas = { replicasDesired: desired, replicasRunning: ready.length, replicasReady: ready.length }
  await completeOperation(attempt, {
    status: 'RUNNING',
    appEnv: {
      currentContentId: content.id,
      rolloutId: operation.id,
      ...replicas,
      health: healthOf(desired, ready.length),
      observedReason: null,
      observedAt: now,
      ...also.appEnv,
    },
    finish: [
      { name: 'ready', detail: `${ready.length} of ${ready.length} ready after ${secondsSince(attempt, now)} s` },
      { name: 'route', detail: `traffic goes to version ${content.version}` },
    ],
    async write(tx) {
      await drainOthers(tx, appEnv.id, operation.id, attempt.config.BERTH_DRAIN_SECONDS)
      await tx.replica.createMany({ data: ready.map((replica) => rowOf(attempt, replica)) })
      // A version that was deployed before keeps the time of its first deployment.
      const deployedAt = content.deployedAt ?? now
      const data = { status: 'DEPLOYED', reason: null, message: null, deployedAt, finishedAt: deployedAt } as const
      await tx.content.updateMany({ where: { id: content.id }, data })
      await saveScaling(tx, attempt)
      await also.write(tx)
    },
    announce: (tx) => changeHosts(tx, attempt),
  })
  attempt.log.info({ appEnvId: appEnv.id, contentId: content.id, version: content.version }, 'Version deployed')
}

/** Hosts come and go with the version whose health check says whether anything listens. */
async function changeHosts(tx: Transaction, { appEnv, content, config }: VersionAttemptContext): Promise<NewEvent[]> {
  const routed = isRouted(appEnv.app, recordedConfiguration(content))
  const former = appEnv.currentContent
  if (former && isRouted(appEnv.app, recordedConfiguration(former)) === routed) return []
  const changed = await matchAutomaticHosts(tx, config, appEnv, { isRouted: routed })
  return changed.map(({ id: hostId, host, status }) => ({
    type: 'host.changed',
    appId: appEnv.appId,
    appEnvId: appEnv.id,
    payload: { hostId, host, status, what: routed ? 'added' : 'removed' },
  }))
}

/** From now on requests decide, by what the version was recorded with. */
async function saveScaling(tx: Transaction, { appEnv, content, lease }: VersionAttemptContext): Promise<void> {
  const rule = requestScalingOf(appEnv.app, recordedConfiguration(content))
  if (!rule) return
  const awake = { depth: null, depthReason: 'deployed', depthSince: lease.claim.clock.now(), asleepSince: null }
  const fresh = { ...rule, ...awake, failures: 0, failure: null, retryAt: null, pauseSeconds: 0 }
  await tx.requestScaling.upsert({
    where: { appEnvId: appEnv.id },
    create: { appEnvId: appEnv.id, ...fresh },
    update: { ...fresh, revision: { increment: 1 } },
  })
}

const secondsSince = ({ steps }: VersionAttemptContext, now: Date) =>
  ((now.getTime() - steps.startedAt('ready').getTime()) / 1000).toFixed(1)

/** Drains all replicas of other rollouts: they finish their requests, and are removed after the drain. */
export const drainOthers = (tx: Transaction, appEnvId: string, rolloutId: string | null, seconds: number) =>
  tx.$executeRaw`
    UPDATE replica SET state = 'DRAINING', drain_until = now() + make_interval(secs => ${seconds})
    WHERE app_env_id = ${appEnvId} AND rollout_id IS DISTINCT FROM ${rolloutId} AND state <> 'DRAINING'`

const rowOf = ({ appEnv, content, operation }: VersionAttemptContext, replica: ObservedReplica) => {
  const { name, index, containerId, address, port } = replica
  const owner = { appEnvId: appEnv.id, contentId: content.id, rolloutId: operation.id }
  return { name, index, containerId, address, port, ...owner, state: 'READY' as const }
}
