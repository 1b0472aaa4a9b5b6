import type { WorkerContext } from '../context/worker-context.ts'
import { onEngine } from '../scope/engine-scope.ts'

const AT_ONCE = 20

/** Removes deleted volumes from the engine, then their rows. A volume that a container still uses is retried later. */
export async function deleteVolumes(
  { database, scope, runtime, config, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  const where = { deletedAt: { not: null }, ...onEngine(scope) }
  const deleted = await database.volume.findMany({ where, take: AT_ONCE })
  for (const { id } of deleted) {
    try {
      await runtime.removeVolume(id, { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS })
      await database.volume.deleteMany({ where: { id } })
      // They open nothing any more: it is gone.
      await database.serviceCredentials.deleteMany({
        where: { volumes: { none: {} }, appEnvs: { none: { deletedAt: null } } },
      })
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: error, volumeId: id }, 'Removing a deleted volume failed; it is retried')
    }
  }
}
