import type { Database } from '../../database/client.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import { clearBuildDirectories } from '../builds/build-directory.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import { deleteOldLogs, trimLogs } from '../logs/delete-old-logs.ts'
import { sleep } from '../time/sleep.ts'
import { deleteExpiredAnswers } from './delete-expired-answers.ts'
import { deleteVolumes } from './delete-volumes.ts'
import { sweepBackups } from './sweep-backups.ts'
import { sweepBuildSteps } from './sweep-build-steps.ts'
import { sweepImages } from './sweep-images.ts'
import { sweepPulledImages } from './sweep-pulled-images.ts'
import { removeEndedRuns, sweepRuns } from './sweep-runs.ts'
import { sweepTasks } from './sweep-tasks.ts'
import { sweepUploads } from './sweep-uploads.ts'

/** Sweeps of the whole engine are this many times rarer than reconciles of one environment. */
const RECONCILES_PER_SWEEP = 2
const LONGEST_PAUSE_SECONDS = 15
const RETENTION_MS = 60_000

/**
 * Housekeeping that no reconcile does: containers of environments that are stopped, deleted or unknown, and rows past
 * their retention. Every worker does it; doing any of it twice is harmless.
 */
export async function sweepForever(context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> {
  const pauseMs = Math.min(context.config.BERTH_RECONCILE_SECONDS * RECONCILES_PER_SWEEP, LONGEST_PAUSE_SECONDS) * 1000
  let discardedAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    // Jitter: workers that start together must not sweep in step.
    await sleep(pauseMs * (0.8 + Math.random() * 0.4), signal)
    if (signal.aborted) return
    try {
      await sweepContainers(context, signal, wake)
      await sweepBuildSteps(context, signal)
      await sweepTasks(context, signal)
      await removeEndedRuns(context, signal)
      await sweepBackups(context, signal)
      await context.beginDueBackups()
      await deleteVolumes(context, signal)
      if (performance.now() - discardedAt < RETENTION_MS) continue
      discardedAt = performance.now()
      await deleteExpiredAnswers(context.database)
      await deleteOldLogs(context.database)
      await trimLogs(context.database, context.config.BERTH_LOG_KEPT_MB)
      await clearBuildDirectories(context.config, context.database)
      await sweepUploads(context.config, context.database)
      await sweepImages(context, signal)
      await sweepRuns(context, signal)
      await sweepPulledImages(context, signal)
    } catch (error) {
      if (!signal.aborted && !isEngineAway(error))
        context.log.warn({ err: error }, 'Housekeeping failed; it is retried')
    }
  }
}

async function sweepContainers(context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> {
  const { runtime, engineHealth, config, database, log } = context
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const observed = await runtime.observe({}, bounds)
  for (const [appEnvId, replicas] of Map.groupBy(observed, (replica) => replica.appEnvId))
    context.collector.observe(appEnvId, replicas)
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
