import type { WorkerContext } from '../context/worker-context.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { sleep } from '../time/sleep.ts'
import { autoscale } from './autoscale.ts'
import { sampleContainers } from './sample-containers.ts'

/**
 * Measures and scales, at a fixed interval, the environments whose logs this worker collects: each has exactly one such
 * worker.
 */
export async function sampleForever(context: WorkerContext, signal: AbortSignal): Promise<void> {
  const { config, log, collector, engineHealth } = context
  const intervalMs = config.BERTH_METRICS_SECONDS * 1000
  const timeoutSeconds = config.BERTH_ENGINE_TIMEOUT_SECONDS
  for (
    let next = performance.now() + intervalMs;
    !signal.aborted;
    next = Math.max(next + intervalMs, performance.now())
  ) {
    await sleep(Math.max(0, next - performance.now()), signal)
    if (signal.aborted) return
    try {
      engineHealth.assertReachable()
      const { appEnvIds } = collector
      await sampleContainers({ ...context, signal, timeoutSeconds }, appEnvIds)
      await autoscale(context, appEnvIds)
    } catch (error) {
      if (!signal.aborted && !isEngineAway(error)) log.warn({ err: error }, 'Measuring containers failed')
    }
  }
}
