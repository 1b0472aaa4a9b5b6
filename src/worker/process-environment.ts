import { engineOf } from '../app-types/behaviours.ts'
import type { Config } from '../config/config.ts'
import { recordedConfiguration } from '../domain/configuration.ts'
import { Steps, timeFor } from './attempt/steps.ts'
import { Abandoned, OperationEnded, WorkerStopping } from './claim/abandoned.ts'
import type { AppEnvLease } from './claim/app-env-lease.ts'
import type { WorkLease } from './claim/lease.ts'
import {
  type ClaimedAppEnv,
  type ClaimedOperation,
  type EnvironmentContext,
  loadClaimedAppEnv,
} from './context/environment-context.ts'
import type { WorkerContext } from './context/worker-context.ts'
import { isEngineAway } from './engine/engine-health.ts'
import { leasedEngine } from './engine/leased-engine.ts'
import { runOperation } from './operations/run-operation.ts'
import { type ReconcileResult, reconcile } from './reconcile/reconcile.ts'
import { followRequests } from './request-scaling/follow-requests.ts'
import { plainText } from './text/plain-text.ts'
import type { Mask } from './text/secret-mask.ts'
import { Deadline } from './time/deadline.ts'
import { sleep } from './time/sleep.ts'
import { secretMaskOf } from './version/secret-mask-of.ts'

const FAILURE_PAUSE_MS = 1_000
const REQUEUE_NOW: ReconcileResult = { requeueAfterSeconds: 0, observed: false }

/** Runs the open operation of a claimed environment, or reconciles it, and says when it is due again. Never throws. */
export async function processEnvironment(worker: WorkerContext, lease: AppEnvLease): Promise<ReconcileResult> {
  const requeueLater = { requeueAfterSeconds: worker.config.BERTH_RECONCILE_SECONDS, observed: false }
  try {
    if (lease.claim.queue === 'scalings') return await scaleByRequests(worker, lease, lease.signal)
    const appEnv = await loadClaimedAppEnv(worker.database, lease.appEnvId)
    const operation = appEnv.operations[0]
    if (lease.claim.queue === 'reconciles' || !operation)
      return await reconcile(environmentContext(worker, lease, appEnv, lease.signal), appEnv)
    await attemptOperation(worker, lease, appEnv, operation)
    // Whatever the outcome: the next reconcile finds what is left to repair, drain or remove.
    return REQUEUE_NOW
  } catch (error) {
    const cause = lease.signal.aborted ? lease.signal.reason : error
    worker.log.debug({ appEnvId: lease.appEnvId, err: cause }, 'Work on an environment was abandoned')
    if (cause instanceof OperationEnded || cause instanceof WorkerStopping) return REQUEUE_NOW
    if (cause instanceof Abandoned || isEngineAway(cause)) return requeueLater
    worker.log.warn({ appEnvId: lease.appEnvId, err: cause }, 'Work on an environment failed; it is retried')
    // Nothing could be written, so the operation is still due: without a pause, the next claim would fail at once too.
    await sleep(FAILURE_PAUSE_MS, lease.signal)
    return requeueLater
  }
}

function scaleByRequests(worker: WorkerContext, lease: AppEnvLease, signal: AbortSignal): Promise<ReconcileResult> {
  const { database, config } = worker
  const engine = leasedEngine(worker, lease, signal, config)
  return followRequests({
    database,
    config,
    lease,
    unfreeze: (name) => engine.unfreeze(name),
    async load() {
      const appEnv = await loadClaimedAppEnv(database, lease.appEnvId)
      return { context: environmentContext(worker, lease, appEnv, signal), appEnv }
    },
  })
}

async function attemptOperation(
  worker: WorkerContext,
  lease: AppEnvLease,
  appEnv: ClaimedAppEnv,
  operation: ClaimedOperation,
): Promise<void> {
  lease.operationId = operation.id
  const deadline = new Deadline(millisecondsLeft(worker, lease, appEnv, operation))
  const context = environmentContext(worker, lease, appEnv, AbortSignal.any([lease.signal, deadline.signal]))
  try {
    const steps = new Steps(context, appEnv, operation)
    const scale = (signal: AbortSignal) => scaleByRequests(worker, lease, signal)
    await runOperation({ ...context, appEnv, operation, deadline, steps, scaleByRequests: scale })
  } finally {
    deadline.close()
  }
}

/** An operation that has not started yet gets its full time from now. */
function millisecondsLeft(
  { config }: WorkerContext,
  lease: AppEnvLease,
  appEnv: ClaimedAppEnv,
  operation: ClaimedOperation,
): number {
  const { startedAt, deadlineAt } = operation
  const left = deadlineAt.getTime() - lease.claim.clock.now().getTime()
  return startedAt || left <= 0 ? Math.max(0, left) : timeFor(config, appEnv, operation) * 1000
}

/** As the version that serves sets it; else that of the installation, or longer, as the engine of a managed service needs. */
function graceSecondsOf(config: Config, { app, presetVersion, currentContent }: ClaimedAppEnv): number {
  const set = currentContent && recordedConfiguration(currentContent).containerSettings?.stopGraceSeconds
  // A server that is killed before it has written everything has to recover when it starts again.
  return set ?? Math.max(config.BERTH_STOP_GRACE_SECONDS, engineOf(app, presetVersion)?.stopSeconds ?? 0)
}

/** What the work on an environment needs, under a lease of it or of one of its runs. */
export function environmentContext<Held extends WorkLease>(
  worker: WorkerContext,
  lease: Held,
  appEnv: ClaimedAppEnv,
  signal: AbortSignal,
): EnvironmentContext<Held> {
  const { database, scope, imageBuilder, vault, config, log, probes, repairs, disk, builds } = worker
  const engineUnder = (bound: AbortSignal) => leasedEngine(worker, lease, bound, config)
  const engine = engineUnder(signal)
  let masking: Promise<Mask> | undefined
  const mask = () => {
    masking ??= secretMaskOf(worker, appEnv).catch((error: unknown) => {
      // The database may answer the next time.
      masking = undefined
      throw error
    })
    return masking
  }
  const quote = async (text: string) => plainText(text, await mask())
  const graceSeconds = graceSecondsOf(config, appEnv)
  const shared = {
    database,
    scope,
    vault,
    config,
    log,
    lease,
    probes,
    repairs,
    disk,
    builds,
    imageBuilder,
    graceSeconds,
  }
  return { ...shared, mask, quote, signal, engine, engineUnder }
}
