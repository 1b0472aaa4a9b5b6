import type { WorkerContext } from '../context/worker-context.ts'

/** Removes tasks whose operation is over, of environments that no worker holds: a worker that was killed left them. */
export async function sweepTasks(
  { runtime, engineHealth, database, config, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const tasks = await runtime.observeTasks(bounds)
  if (tasks.length === 0) return
  // Read after the containers: those of an operation that begins now are not in the list.
  const busy = await database.$queryRaw<{ id: string }[]>`
    SELECT id FROM operation WHERE id = ANY(${tasks.map(({ operationId }) => operationId)}::text[])
      AND status IN ('QUEUED', 'RUNNING')
    UNION SELECT id FROM app_env WHERE id = ANY(${tasks.map(({ appEnvId }) => appEnvId)}::text[])
      AND lease_expires_at > now()`
  const isBusy = new Set(busy.map(({ id }) => id))
  for (const { name, appEnvId, operationId } of tasks) {
    if (isBusy.has(operationId) || isBusy.has(appEnvId)) continue
    log.info({ appEnvId, operationId, container: name }, 'Removing a task that a worker left behind')
    await runtime.removeTasks({ appEnvId, operationId }, bounds)
  }
}
