import type { Database } from '../../database/client.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import type { Collector } from '../logs/collector.ts'
import { sleep } from '../time/sleep.ts'
import { clearBuildCaches } from './clear-build-caches.ts'
import { deleteVolumes } from './delete-volumes.ts'
import { sweepBuildSteps } from './sweep-build-steps.ts'
import { sweepImages } from './sweep-images.ts'
import { sweepPulledImages } from './sweep-pulled-images.ts'
import { removeEndedRuns, sweepRuns } from './sweep-runs.ts'
import { sweepTasks } from './sweep-tasks.ts'

/** Sweeps of the whole engine are this many times rarer than reconciles of one environment. */
const RECONCILES_PER_SWEEP = 2
const MAX_PAUSE_SECONDS = 15
const RETENTION_MS = 60_000

/**
 * Housekeeping on one engine that no reconcile does: containers of environments that are stopped, deleted or unknown,
 * and what else is not needed there. Every worker does it; doing any of it twice is harmless.
 */
export async function sweepForever(context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> {
  const seen = new Map<string, string>()
  await everySweep(context, signal, {
    async often() {
      await sweepContainers(context, signal, { seen, wake })
      await sweepBuildSteps(context, signal)
      await sweepTasks(context, signal)
      await removeEndedRuns(context, signal)
      await deleteVolumes(context, signal)
      await clearBuildCaches(context, signal)
    },
    async seldom() {
      await sweepImages(context, signal)
      await sweepRuns(context, signal)
      await sweepPulledImages(context, signal)
      const { runtime, config } = context
      await runtime.removeLeftVolumes({ signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS })
    },
  })
}

interface Sweeping {
  often: () => Promise<void>
  /** Once a minute, for what is kept for hours or days. */
  seldom: () => Promise<void>
}

/** Sweeps again and again, whatever fails. */
export async function everySweep(
  { config, log }: Pick<WorkerContext, 'config' | 'log'>,
  signal: AbortSignal,
  { often, seldom }: Sweeping,
): Promise<void> {
  const pauseMs = Math.min(config.BERTH_RECONCILE_SECONDS * RECONCILES_PER_SWEEP, MAX_PAUSE_SECONDS) * 1000
  let discardedAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    // Jitter: workers that start together must not sweep in step.
    await sleep(pauseMs * (0.8 + Math.random() * 0.4), signal)
    if (signal.aborted) return
    try {
      await often()
      if (performance.now() - discardedAt < RETENTION_MS) continue
      discardedAt = performance.now()
      await seldom()
    } catch (error) {
      if (!signal.aborted && !isEngineAway(error)) log.warn({ err: error }, 'Housekeeping failed; it is retried')
    }
  }
}

interface Swept {
  /** The containers of each environment, as the last sweep found them. */
  seen: Map<string, string>
  wake: () => void
}

async function sweepContainers(context: WorkerContext, signal: AbortSignal, { seen, wake }: Swept): Promise<void> {
  const { runtime, engineHealth, config, database, log } = context
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const observed = await runtime.observe({ isBrief: true }, bounds)
  notifyCollector(context.collector, observed, seen)
  if (observed.length === 0) return
  const { unexpected, unknown } = await judge(database, observed)
  // The worker that claims the environment removes these, under its lease, after observing again.
  if (unexpected.length > 0) {
    await makeDue(database, unexpected)
    wake()
  }
  for (const appEnvId of unknown) {
    log.warn({ appEnvId }, 'Removing containers of an environment that is not in the database')
    await runtime.remove({ appEnvId }, { ...bounds, graceSeconds: config.BERTH_STOP_GRACE_SECONDS })
  }
}

/**
 * Has the collector look at environments whose output may have to be followed: something has changed there, or runs and
 * is not followed here. Nothing is inspected for those that sleep.
 */
function notifyCollector(
  collector: Pick<Collector, 'notify' | 'appEnvIds'>,
  observed: readonly ObservedReplica[],
  seen: Map<string, string>,
): void {
  const followed = new Set(collector.appEnvIds)
  const found = Map.groupBy(observed, ({ appEnvId }) => appEnvId)
  for (const [appEnvId, replicas] of found) {
    const facts = JSON.stringify(replicas.map(({ containerId, phase }) => [containerId, phase]))
    const isUnfollowed = !followed.has(appEnvId) && replicas.some(({ phase }) => phase === 'running')
    if (facts !== seen.get(appEnvId) || isUnfollowed) collector.notify(appEnvId)
    seen.set(appEnvId, facts)
  }
  for (const appEnvId of seen.keys()) if (!found.has(appEnvId)) seen.delete(appEnvId)
}

/** `unexpected`: environments that run something they should not, and that no worker holds. */
async function judge(database: Database, observed: readonly ObservedReplica[]) {
  const rolloutsOf = Map.groupBy(observed, (replica) => replica.appEnvId)
  const ids = [...rolloutsOf.keys()]
  const appEnvs = await database.$queryRaw<
    { id: string; rolloutId: string | null; known: string[]; isBusy: boolean }[]
  >`
    SELECT e.id, e.rollout_id AS "rolloutId", lease_expires_at > now() AS "isBusy",
      ARRAY(SELECT r.rollout_id FROM replica r WHERE r.app_env_id = e.id
        UNION SELECT o.id FROM operation o WHERE o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING')) AS known
    FROM app_env e WHERE e.id = ANY(${ids}::text[])`
  const known = new Set(appEnvs.map((appEnv) => appEnv.id))
  const hasUnexpected = ({ id, rolloutId, known, isBusy }: (typeof appEnvs)[number]) =>
    !isBusy && rolloutsOf.get(id)?.some((one) => one.rolloutId !== rolloutId && !known.includes(one.rolloutId))
  return {
    unexpected: appEnvs.filter(hasUnexpected).map((appEnv) => appEnv.id),
    unknown: ids.filter((id) => !known.has(id)),
  }
}
