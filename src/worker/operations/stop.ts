import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { NOTHING_RUNS } from '../reconcile/observation.ts'
import { drainAndStop, unroute } from '../version/drain-and-stop.ts'

/** Stops the environment. Its version is kept, and `start` deploys it again. */
export async function stop(attempt: AttemptContext): Promise<void> {
  await unroute(attempt)
  const detail = await drainAndStop(attempt, 'stop')
  await completeOperation(attempt, {
    // Without a deployed version there is nothing to start again.
    status: attempt.appEnv.currentContentId ? 'STOPPED' : 'PENDING',
    appEnv: NOTHING_RUNS,
    finish: [{ name: 'stop', detail }],
    write: (tx) => tx.replica.deleteMany({ where: { appEnvId: attempt.appEnv.id } }),
  })
}
