import { Steps, timeFor } from './attempt/steps.ts'
import { Abandoned, OperationEnded, WorkerStopping } from './claim/abandoned.ts'
import type { Lease } from './claim/lease.ts'
import {
  type ClaimedAppEnv,
  type ClaimedOperation,
  type EnvironmentContext,
  loadClaimedAppEnv,
} from './context/environment-context.ts'
import type { WorkerContext } from './context/worker-context.ts'
import { leasedEngine } from './engine/leased-engine.ts'
import { runOperation } from './operations/run-operation.ts'
import { type ReconcileResult, reconcile } from './reconcile/reconcile.ts'
import { Deadline } from './time/deadline.ts'
import { sleep } from './time/sleep.ts'

const FAILURE_PAUSE_MS = 1_000
const AT_ONCE: ReconcileResult = { lookAgainSeconds: 0, observed: false }

/** Does what a claimed environment needs, and says when it is to be looked at again. Never throws. */
export async function processEnvironment(tools: WorkerContext, lease: Lease): Promise<ReconcileResult> {
  const patience = { lookAgainSeconds: tools.config.BERTH_RECONCILE_SECONDS, observed: false }
  try {
    const appEnv = await loadClaimedAppEnv(tools.database, lease.appEnvId)
    const operation = appEnv.operations[0]
    if (lease.claim.queue === 'looks' || !operation)
      return await reconcile(environmentContext(tools, lease, lease.signal), appEnv)
    await attemptOperation(tools, lease, appEnv, operation)
    // Whether it succeeded, failed or was put off: the next look finds what there is to repair, drain or clear away.
    return AT_ONCE
  } catch (error) {
    const cause = lease.signal.aborted ? lease.signal.reason : error
    tools.log.debug({ appEnvId: lease.appEnvId, err: cause }, 'Work was abandoned')
    if (cause instanceof OperationEnded || cause instanceof WorkerStopping) return AT_ONCE
    if (cause instanceof Abandoned) return patience
    tools.log.warn({ appEnvId: lease.appEnvId, err: cause }, 'Work failed')
    // Nothing could be written, so the operation is due still: whoever claims it next should not be as quick to fail.
    await sleep(FAILURE_PAUSE_MS, lease.signal)
    return patience
  }
}

async function attemptOperation(
  tools: WorkerContext,
  lease: Lease,
  appEnv: ClaimedAppEnv,
  operation: ClaimedOperation,
): Promise<void> {
  lease.operationId = operation.id
  const deadline = new Deadline(millisecondsLeft(tools, lease, operation))
  const work = environmentContext(tools, lease, AbortSignal.any([lease.signal, deadline.signal]))
  try {
    await runOperation({ ...work, appEnv, operation, deadline, steps: new Steps(work, appEnv, operation) })
  } finally {
    deadline.close()
  }
}

/** One that has not begun yet gets its full time from now. */
function millisecondsLeft(
  { config }: WorkerContext,
  lease: Lease,
  { startedAt, deadlineAt, content }: ClaimedOperation,
): number {
  const left = deadlineAt.getTime() - lease.claim.clock.now().getTime()
  return startedAt || left <= 0 ? Math.max(0, left) : timeFor(config, content) * 1000
}

function environmentContext(tools: WorkerContext, lease: Lease, signal: AbortSignal): EnvironmentContext {
  const { database, runtime, vault, config, log, probes, builds } = tools
  const engineUnder = (bound: AbortSignal) => leasedEngine(tools, lease, bound, config)
  const engine = engineUnder(signal)
  return { database, vault, config, log, lease, probes, builds, runtime, signal, engine, engineUnder }
}
