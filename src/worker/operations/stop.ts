import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { NOTHING_RUNS } from '../reconcile/observation.ts'
import { drainAndStop, unroute } from '../version/drain-and-stop.ts'

/** Takes the environment out of service; its version is kept, and starts again from where it is now. */
export async function stop(attempt: AttemptContext): Promise<void> {
  await unroute(attempt)
  const detail = await drainAndStop(attempt, 'stop')
  await completeOperation(attempt, {
    // What was never deployed has nothing to start again.
    status: attempt.appEnv.currentContentId ? 'STOPPED' : 'PENDING',
    appEnv: NOTHING_RUNS,
    finish: [{ name: 'stop', detail }],
    write: (tx) => tx.replica.deleteMany({ where: { appEnvId: attempt.appEnv.id } }),
  })
}
