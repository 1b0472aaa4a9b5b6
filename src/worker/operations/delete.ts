import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { NOTHING_RUNS } from '../reconcile/observation.ts'
import { purgeRows, removeUnusedNetworks } from '../reconcile/purge.ts'
import { drainAndStop, unroute } from '../version/drain-and-stop.ts'

/** Images built here that versions of other environments run: the sweep removes them when those are gone. */
async function promotedImages({ database, appEnv, engine }: AttemptContext): Promise<ReadonlySet<string>> {
  const ids = (await engine.builtImages()).map(({ id }) => id)
  const elsewhere = { imageDigest: { in: ids }, appEnvId: { not: appEnv.id }, appEnv: { deletedAt: null } }
  const pinned = await database.content.findMany({ where: elsewhere, select: { imageDigest: true } })
  return new Set(pinned.map(({ imageDigest }) => imageDigest ?? ''))
}

/** Removes what a deleted environment leaves on the engine, then the rows that only a live environment needs. */
export async function deleteEnvironment(attempt: AttemptContext): Promise<void> {
  await unroute(attempt)
  const detail = await drainAndStop(attempt, 'remove')
  await attempt.engine.removeRuns(null)
  await attempt.engine.removeImages(await promotedImages(attempt))
  await attempt.steps.advance({ finish: { name: 'remove', detail }, start: 'purge' })
  await removeUnusedNetworks(attempt, attempt.appEnv)
  await completeOperation(attempt, {
    status: 'STOPPED',
    appEnv: NOTHING_RUNS,
    finish: [{ name: 'purge', detail: null }],
    write: (tx) => purgeRows(tx, attempt.appEnv.id),
  })
}
