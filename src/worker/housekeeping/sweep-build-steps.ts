import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { WorkerContext } from '../context/worker-context.ts'

/**
 * Ends what is still being built where nobody wants anything built: containers that an engine, or a worker between two
 * attempts, left behind when it was killed.
 */
export async function sweepBuildSteps(
  { runtime, engineHealth, database, config }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const steps = await runtime.buildSteps({}, bounds)
  if (steps.length === 0) return
  // Read after the containers were: one of a build that begins now is not among them.
  const busy = await database.operation.findMany({
    where: { appEnvId: { in: steps.map(({ appEnvId }) => appEnvId) }, status: { in: [...OPEN_STATUSES] } },
    select: { appEnvId: true },
  })
  const isBusy = new Set(busy.map(({ appEnvId }) => appEnvId))
  for (const { containerId, appEnvId } of steps) {
    if (!isBusy.has(appEnvId)) await runtime.removeBuildStep(containerId, bounds)
  }
}
