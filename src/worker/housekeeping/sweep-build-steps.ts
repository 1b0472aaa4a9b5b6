import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { WorkerContext } from '../context/worker-context.ts'

/** Ends build containers that no open operation needs: an engine or a worker that was killed left them behind. */
export async function sweepBuildSteps(
  { imageBuilder, engineHealth, database, config }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const steps = await imageBuilder.buildSteps({}, bounds)
  if (steps.length === 0) return
  // Read after the containers: those of a build that begins now are not in the list.
  const busy = await database.operation.findMany({
    where: { appEnvId: { in: steps.map(({ appEnvId }) => appEnvId) }, status: { in: [...OPEN_STATUSES] } },
    select: { appEnvId: true },
  })
  const isBusy = new Set(busy.map(({ appEnvId }) => appEnvId))
  for (const { containerId, appEnvId } of steps) {
    if (!isBusy.has(appEnvId)) await imageBuilder.removeBuildStep(containerId, bounds)
  }
}
