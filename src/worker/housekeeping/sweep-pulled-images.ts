import type { Config } from '../../config/config.ts'
import type { HeldImage } from '../../engines/images/image-builder.ts'
import type { Database } from '../../storage/database/client.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { engineKey } from '../scope/engine-scope.ts'

/**
 * Removes images that Berth has pulled, and that nothing needs any more: no version of an existing environment that
 * serves, is being deployed or is among those kept for rollbacks, and no pull within the time that a build's layers are
 * kept. A rollback further back pulls the image again. The engine refuses to remove what a container needs.
 */
export async function sweepPulledImages(
  { imageBuilder, scope, engineHealth, database, config, log }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const old = new Set(await unusedFor(database, engineKey(scope), config.BERTH_BUILD_CACHE_HOURS))
  if (old.size === 0) return
  const held = await imageBuilder.heldImages(bounds)
  const candidates = held.filter(({ id }) => old.has(id))
  const pinned = await pinnedImages(database, config, candidates)
  for (const { id, digests } of candidates) {
    if ([id, ...digests].some((name) => pinned.has(name))) continue
    await imageBuilder.removePulled(id, bounds)
    log.debug({ imageId: id, digests }, 'Removed an image that no version needs')
  }
  // Who has the record could run the copy; there is none any more, and a later one is another's.
  const left = new Set((await imageBuilder.heldImages(bounds)).map(({ id }) => id))
  const gone = [...old].filter((id) => !left.has(id))
  await database.$executeRaw`
    DELETE FROM pulled_image WHERE image_id = ANY(${gone}::text[]) AND engine_key = ${engineKey(scope)}
      AND pulled_at < now() - ${config.BERTH_BUILD_CACHE_HOURS} * interval '1 hour'`
}

async function unusedFor(database: Database, key: string, hours: number): Promise<string[]> {
  const rows = await database.$queryRaw<{ imageId: string }[]>`
    SELECT image_id AS "imageId" FROM pulled_image WHERE engine_key = ${key} GROUP BY image_id
    HAVING bool_or(is_ours) AND max(pulled_at) < now() - ${hours} * interval '1 hour'`
  return rows.map(({ imageId }) => imageId)
}

/** Those of the images, by id or digest, that a version still needs. */
async function pinnedImages(
  database: Database,
  config: Config,
  images: readonly HeldImage[],
): Promise<ReadonlySet<string>> {
  const names = images.flatMap(({ id, digests }) => [id, ...digests])
  const rows = await database.$queryRaw<{ imageDigest: string }[]>`
    SELECT DISTINCT c.image_digest AS "imageDigest" FROM content c
    JOIN app_env e ON e.id = c.app_env_id AND e.deleted_at IS NULL
    WHERE c.image_digest = ANY(${names}::text[]) AND (e.current_content_id = c.id
      OR EXISTS (SELECT 1 FROM operation o WHERE o.content_id = c.id AND o.status IN ('QUEUED', 'RUNNING'))
      OR c.version >= coalesce((SELECT d.version FROM content d
        WHERE d.app_env_id = c.app_env_id AND d.deployed_at IS NOT NULL
        ORDER BY d.version DESC OFFSET ${config.BERTH_IMAGES_KEPT - 1} LIMIT 1), 0))`
  return new Set(rows.map(({ imageDigest }) => imageDigest))
}
