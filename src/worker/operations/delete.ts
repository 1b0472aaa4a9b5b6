import type { Attempt } from '../attempt/attempt-context.ts'
import { succeed } from '../attempt/complete-operation.ts'
import { NOTHING_RUNS } from '../reconcile/observation.ts'
import { forgetRows, removeUnusedNetwork } from '../reconcile/purge.ts'
import { takeDown, unroute } from '../version/drain-and-stop.ts'

/** Removes what a deleted environment leaves on the engine, then what only made sense while it ran. */
export async function remove(attempt: Attempt): Promise<void> {
  await unroute(attempt)
  const detail = await takeDown(attempt, 'remove')
  await attempt.engine.removeImages()
  await attempt.steps.advance({ finish: { name: 'remove', detail }, start: 'forget' })
  await removeUnusedNetwork(attempt, attempt.appEnv)
  await succeed(attempt, {
    status: 'STOPPED',
    appEnv: NOTHING_RUNS,
    finish: [{ name: 'forget', detail: null }],
    write: (tx) => forgetRows(tx, attempt.appEnv.id),
  })
}
