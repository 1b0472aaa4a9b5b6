import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { makeDue } from '../engine/engine-notifications.ts'
import { sleep } from '../time/sleep.ts'

/** On an engine with many files, measuring takes at most a tenth of the time. */
const PAUSE_PER_DURATION = 9
const TIMEOUT_SECONDS = 120

/** Finds containers that write too much, and makes their environments due: a reconcile replaces them. */
export async function measureDiskForever(context: WorkerContext, signal: AbortSignal, wake: () => void): Promise<void> {
  const everyMs = context.config.BERTH_CONTAINER_DISK_SECONDS * 1000
  let pauseMs = everyMs
  while (!signal.aborted) {
    await sleep(pauseMs, signal)
    if (signal.aborted) return
    const since = performance.now()
    try {
      await measureDisk(context, signal, wake)
    } catch (error) {
      if (!signal.aborted && !isEngineAway(error)) context.log.warn({ err: error }, 'Measuring disk use failed')
    }
    pauseMs = Math.max(everyMs, (performance.now() - since) * PAUSE_PER_DURATION)
  }
}

export async function measureDisk(
  { runtime, engineHealth, disk, database }: WorkerContext,
  signal: AbortSignal,
  wake: () => void,
): Promise<void> {
  engineHealth.assertReachable()
  const over = disk.record(await runtime.diskUse({ signal, timeoutSeconds: TIMEOUT_SECONDS }))
  if (over.length === 0) return
  await makeDue(database, over)
  wake()
}
