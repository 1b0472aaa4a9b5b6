import { beginClearing, CLEARING_SECONDS, recordCleared } from '../builds/build-cache.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { engineKey } from '../scope/engine-scope.ts'

/** Of one sweep: the next one goes on. */
const BATCH = 100
/** A call that was given up before the claim ends reaches no builder of a later build. */
const TIMEOUT_SECONDS = CLEARING_SECONDS - 10

/**
 * Clears the build caches that are to be cleared and that no build uses; a build that begins meanwhile waits. Where builds follow
 * each other without a pause, the next one does it (`acquire-build-slot.ts`).
 */
export async function clearBuildCaches(
  { imageBuilder, scope, engineHealth, database, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  const wanted = await database.buildCache.findMany({
    where: { engineKey: engineKey(scope), clearRequestedAt: { not: null } },
    select: { accountId: true, engineKey: true },
    orderBy: { clearRequestedAt: 'asc' },
    take: BATCH,
  })
  for (const owner of wanted) {
    engineHealth.assertReachable()
    const clearing = await beginClearing(database, owner)
    if (!clearing) continue
    await imageBuilder.removeBuilder(owner.accountId, { signal, timeoutSeconds: TIMEOUT_SECONDS })
    await recordCleared(database, owner, clearing)
    log.info(owner, 'Cleared the build cache of an account')
  }
}
