import { awaitedReplicas, wantedReplicas } from '../../app-types/behaviours.ts'
import { statusAfter } from '../../domain/operation.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { rolloutOf } from '../version/rollout.ts'
import { startAndAwaitReady } from '../version/start-and-await-ready.ts'

/** Changes the number of replicas of the serving version, without restarting the others. */
export async function scale(attempt: AttemptContext): Promise<void> {
  const { appEnv, operation } = attempt
  const { currentContent: content, rolloutId } = appEnv
  const replicas = wantedReplicas(appEnv)
  if (!content || !rolloutId || appEnv.replicasDesired === 0 || replicas === 0) {
    const status = statusAfter(operation.previousStatus, content !== null)
    return completeOperation(attempt, {
      status,
      finish: [{ name: 'route', detail: 'nothing runs that could be scaled' }],
    })
  }
  const version = { ...attempt, content }
  // Those of a managed service copy the first one, which reconciliation waits for.
  const isAwaited = replicas > appEnv.replicasDesired && awaitedReplicas(appEnv) === replicas
  const ready = isAwaited ? await startMore(version, rolloutId, replicas) : []
  const detail = `from ${appEnv.replicasDesired} to ${replicas}`
  await completeScaling(version, rolloutId, replicas, ready, detail)
}

async function startMore(
  attempt: VersionAttemptContext,
  rolloutId: string,
  replicas: number,
): Promise<ObservedReplica[]> {
  const { appEnv, content, operation, steps } = attempt
  await steps.advance({ start: 'create' })
  const choice = { content, rolloutId, requestId: operation.requestId, replicas }
  const rollout = await rolloutOf(attempt, appEnv, choice)
  const started = `${replicas - appEnv.replicasDesired} more started`
  const ready = await startAndAwaitReady(attempt, rollout, { detail: started })
  await steps.advance({ finish: { name: 'ready', detail: `${ready.length} of ${replicas} ready` } })
  return ready
}

async function completeScaling(
  attempt: VersionAttemptContext,
  rolloutId: string,
  replicas: number,
  ready: readonly ObservedReplica[],
  detail: string,
): Promise<void> {
  const { appEnv, content, config } = attempt
  const more = ready.filter((replica) => replica.index >= appEnv.replicasDesired)
  await completeOperation(attempt, {
    status: 'RUNNING',
    appEnv: { replicasDesired: replicas },
    finish: [{ name: 'route', detail }],
    async write(tx) {
      await tx.$executeRaw`
        UPDATE replica SET state = 'DRAINING', drain_until = now() + make_interval(secs => ${config.BERTH_DRAIN_SECONDS})
        WHERE app_env_id = ${appEnv.id} AND rollout_id = ${rolloutId} AND index >= ${replicas} AND state <> 'DRAINING'`
      for (const replica of more) await addRoute(tx, appEnv.id, content, rolloutId, replica)
      await notifyIngresses(tx)
    },
  })
}

/** A replica that was draining still has its row. */
async function addRoute(
  tx: Parameters<typeof notifyIngresses>[0],
  appEnvId: string,
  content: Content,
  rolloutId: string,
  { name, index, containerId, address, port }: ObservedReplica,
): Promise<void> {
  const route = { index, containerId, address, port, state: 'READY' as const, drainUntil: null }
  const create = { name, appEnvId, contentId: content.id, rolloutId, ...route }
  await tx.replica.upsert({ where: { name }, create, update: route })
}
