import type { WorkerContext } from '../context/worker-context.ts'
import { sleep } from '../time/sleep.ts'
import { deleteOldLoads } from './delete-old-loads.ts'
import { readScalingFacts, stepFor } from './scaling-facts.ts'
import { WakeProblem } from './wake-problem.ts'

const INTERVAL_MS = 1_000
const TIDY_MS = 60_000
const WAKE_PROBLEM_MS = 5_000

/**
 * Checks the reports of ingresses once a second: for environments that became idle, which no notification announces, and
 * for lost notifications. Every worker does; the one that claims an environment decides again.
 */
export async function scaleForever(
  { database, scope, config, log }: WorkerContext,
  signal: AbortSignal,
  onFound: (appEnvIds: readonly string[]) => void,
): Promise<void> {
  let isFailing = false
  let tidiedAt = performance.now()
  let notedAt = performance.now()
  const wakeProblem = new WakeProblem()
  while (!signal.aborted) {
    await sleep(INTERVAL_MS, signal)
    if (signal.aborted) return
    try {
      const all = await readScalingFacts(database, config, { mayChangeOn: scope })
      onFound(all.filter((facts) => stepFor(facts, config) !== null).map(({ appEnvId }) => appEnvId))
      isFailing = false
      if (performance.now() - notedAt >= WAKE_PROBLEM_MS) {
        notedAt = performance.now()
        await wakeProblem.note(database)
      }
      if (performance.now() - tidiedAt < TIDY_MS) continue
      tidiedAt = performance.now()
      await deleteOldLoads(database)
    } catch (error) {
      if (!isFailing && !signal.aborted) log.warn({ err: error }, 'Looking for apps to scale failed; it is retried')
      isFailing = true
    }
  }
}
