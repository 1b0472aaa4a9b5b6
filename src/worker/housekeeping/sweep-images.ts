import type { Config } from '../../config/config.ts'
import type { BuiltImage, HeldImage } from '../../engines/images/image-builder.ts'
import type { Database } from '../../storage/database/client.ts'
import { beginClearing, CLEARING_SECONDS, recordCleared } from '../builds/build-cache.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { engineKey } from '../scope/engine-scope.ts'

const HOUR_MS = 3_600_000
const ENGINE_CLOCK_MS = 1_000
const ENDING_MS = 5_000

/**
 * Removes images that no version can run any more, and build layers past their retention. A version that can no longer
 * be rolled back to keeps its image until the next sweep, so that a rollback requested just before still finds it.
 */
export async function sweepImages(
  { imageBuilder, engineHealth, database, config }: WorkerContext,
  signal: AbortSignal,
): Promise<void> {
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const images = await imageBuilder.builtImages({}, bounds)
  if (images.length === 0) return
  const isKept = await judge(database, images, Date.now() - config.BERTH_BUILD_CACHE_HOURS * HOUR_MS)
  for (const image of images) if (!isKept(image)) await imageBuilder.removeImage(image.id, bounds)
  await expireImages(database, config)
}

/** Read after the images: one that was built since is not in the list. */
async function judge(database: Database, images: readonly BuiltImage[], oldestLayer: number) {
  const ids = images.map(({ id }) => id)
  const contentIds = images.flatMap(({ contentId }) => contentId ?? [])
  const appEnvIds = [...new Set(images.map(({ appEnvId }) => appEnvId))]
  const live = { appEnv: { deletedAt: null } }
  const [pinned, underWay, appEnvs, isOfFailedBuild] = await Promise.all([
    database.content.findMany({ where: { ...live, imageDigest: { in: ids } }, select: { imageDigest: true } }),
    database.content.findMany({
      where: { ...live, id: { in: contentIds }, status: { in: ['QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING'] } },
      select: { id: true },
    }),
    database.appEnv.findMany({ where: { id: { in: appEnvIds }, deletedAt: null }, select: { id: true } }),
    failedBuilds(database, appEnvIds, new Date(oldestLayer)),
  ])
  const kept = new Set([...pinned.map((row) => row.imageDigest), ...underWay.map((row) => row.id)])
  const known = new Set(appEnvs.map((row) => row.id))
  return ({ id, contentId, appEnvId, createdAt }: BuiltImage): boolean => {
    if (contentId === null)
      return known.has(appEnvId) && createdAt.getTime() > oldestLayer && !isOfFailedBuild(appEnvId, createdAt)
    return kept.has(id) || kept.has(contentId)
  }
}

/**
 * Whether a layer was created during a build that failed: a killed build could not clean up. The engine counts in
 * whole seconds, and takes a moment to end a build.
 */
async function failedBuilds(database: Database, appEnvIds: readonly string[], since: Date) {
  const builds = await database.operation.findMany({
    where: {
      appEnvId: { in: [...appEnvIds] },
      status: { in: ['FAILED', 'CANCELLED'] },
      content: { type: 'BUILD' },
      startedAt: { not: null },
      finishedAt: { gt: since },
    },
    select: { appEnvId: true, startedAt: true, finishedAt: true },
  })
  return (appEnvId: string, at: Date): boolean =>
    builds.some(
      ({ startedAt, finishedAt, ...build }) =>
        build.appEnvId === appEnvId &&
        at.getTime() >= (startedAt?.getTime() ?? 0) - ENGINE_CLOCK_MS &&
        at.getTime() <= (finishedAt?.getTime() ?? 0) + ENDING_MS,
    )
}

/**
 * Versions beyond the number kept lose their image digest first, so that a rollback is refused before the image goes.
 * Versions that were never deployed are kept as long as layers are, for a rebuild of the same source.
 */
const expireImages = (database: Database, config: Config): Promise<number> => database.$executeRaw`
  UPDATE content c SET image_digest = NULL, updated_at = now()
  WHERE c.type = 'BUILD' AND c.image_digest IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM app_env e WHERE e.current_content_id = c.id)
    AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.content_id = c.id AND o.status IN ('QUEUED', 'RUNNING'))
    AND ((c.deployed_at IS NULL AND c.updated_at < now() - ${config.BERTH_BUILD_CACHE_HOURS} * interval '1 hour')
      OR c.version < (SELECT d.version FROM content d WHERE d.app_env_id = c.app_env_id AND d.deployed_at IS NOT NULL
      ORDER BY d.version DESC OFFSET ${config.BERTH_IMAGES_KEPT - 1} LIMIT 1))`

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

/** Of one sweep: the next one goes on. */
const CACHES_AT_ONCE = 100
/** A call that was given up before the claim ends reaches no builder of a later build. */
const CLEARING_TIMEOUT_SECONDS = CLEARING_SECONDS - 10

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
    take: CACHES_AT_ONCE,
  })
  for (const owner of wanted) {
    engineHealth.assertReachable()
    const clearing = await beginClearing(database, owner)
    if (!clearing) continue
    await imageBuilder.removeBuilder(owner.accountId, { signal, timeoutSeconds: CLEARING_TIMEOUT_SECONDS })
    await recordCleared(database, owner, clearing)
    log.info(owner, 'Cleared the build cache of an account')
  }
}
