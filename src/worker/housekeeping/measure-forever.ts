import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { sleep } from '../time/sleep.ts'

/** On an engine with many files, measuring takes at most a tenth of the time. */
const PAUSE_PER_DURATION = 9

/** Measures again and again, whatever fails. `subject` is what the log says. */
export async function measureForever(
  { log }: WorkerContext,
  { subject, everySeconds, measure }: { subject: string; everySeconds: number; measure: () => Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = everySeconds * 1000
  while (!signal.aborted) {
    await sleep(pauseMs, signal)
    if (signal.aborted) return
    const since = performance.now()
    try {
      await measure()
    } catch (error) {
      if (!signal.aborted && !isEngineAway(error)) log.warn({ err: error }, `Measuring ${subject} failed`)
    }
    pauseMs = Math.max(everySeconds * 1000, (performance.now() - since) * PAUSE_PER_DURATION)
  }
}
