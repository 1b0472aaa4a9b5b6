import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { sleep } from '../time/sleep.ts'

/** On an engine with many files, measuring takes at most a tenth of the time. */
const PAUSE_PER_DURATION = 9

/** How often it is looked whether a measurement is urgent. */
const LOOK_MS = 2_000

interface Measuring {
  /** What the log says. */
  subject: string
  everySeconds: number
  measure: () => Promise<void>
  /** Whether the next measurement cannot wait; by default, it can. Never rejects. */
  isUrgent?: () => Promise<boolean>
}

/** Measures again and again, whatever fails. */
export async function measureForever(
  { log }: WorkerContext,
  { subject, everySeconds, measure, isUrgent }: Measuring,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = everySeconds * 1000
  while (!signal.aborted) {
    await rest(pauseMs, isUrgent, signal)
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

async function rest(pauseMs: number, isUrgent: Measuring['isUrgent'], signal: AbortSignal): Promise<void> {
  if (!isUrgent) return void (await sleep(pauseMs, signal))
  const until = performance.now() + pauseMs
  for (let leftMs = pauseMs; leftMs > 0 && !signal.aborted; leftMs = until - performance.now()) {
    await sleep(Math.min(LOOK_MS, leftMs), signal)
    if (!signal.aborted && (await isUrgent())) return
  }
}
