import type { Database } from '../../database/client.ts'
import { notFound } from '../../domain/errors.ts'
import { getAppEnv } from '../app-env/app-env-queries.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { followLogs, type LiveLines } from './log-queries.ts'

/** What was sent before the claim ended may be committed a little after it. */
const UNDER_WAY_SECONDS = 5

/** One version, whose build is asked of. */
export interface BuildAddress {
  appEnvId: string
  contentId: string
}

/** The version whose build is meant: the one named, or the environment's newest that is built and repeats no other. */
export async function getBuild(
  database: Database,
  caller: Caller,
  { contentId, ...address }: AppEnvAddress & { contentId?: string | undefined },
): Promise<BuildAddress & { accountId: string }> {
  const { id: appEnvId, accountId } = await getAppEnv(database, caller, address)
  const content = contentId
    ? await database.content.findFirst({ where: { id: contentId, appEnvId } })
    : await newestBuild(database, appEnvId)
  if (content) return { appEnvId, accountId, contentId: content.id }
  throw contentId ? notFound('deployment', contentId) : notFound('build in the app environment', appEnvId)
}

async function newestBuild(database: Database, appEnvId: string) {
  const builds = await database.container.findMany({ where: { appEnvId, phase: 'build' }, select: { contentId: true } })
  const logged = { id: { in: builds.map(({ contentId }) => contentId) } }
  // One that repeats another had its image from the start, and never gets a log.
  return database.content.findFirst({
    where: { appEnvId, type: 'BUILD', OR: [logged, { imageDigest: null }] },
    orderBy: { version: 'desc' },
  })
}

export interface BuildLines extends LiveLines {
  /** The build is over, and what it printed is told with these lines to the last. */
  hasEnded: boolean
}

/** What a build printed after a number, oldest first; without one, from its first line. */
export async function followBuild(
  database: Database,
  caller: Caller,
  { appEnvId, contentId }: BuildAddress,
  { limit, after }: { limit: number; after: bigint | null },
): Promise<BuildLines> {
  // Asked before the lines are read: what is over then is written whole.
  const isOver = await isBuildOver(database, contentId)
  const filter = { type: 'BUILD', contentId } as const
  const live = await followLogs(database, caller, { appEnvId }, filter, { limit, after: after ?? 0n })
  return { ...live, hasEnded: isOver && live.isCaughtUp }
}

/**
 * A version that is cancelled has ended at once, and its log when the worker has found out: it closes the log, or is
 * dead, and then its claim of the book ends, without which it writes nothing.
 */
async function isBuildOver(database: Database, contentId: string): Promise<boolean> {
  const [{ isOver } = { isOver: true }] = await database.$queryRaw<{ isOver: boolean }[]>`
    SELECT NOT (c.type = 'BUILD' AND c.image_digest IS NULL AND c.status IN ('QUEUED', 'BUILDING')) AND NOT EXISTS (
      SELECT 1 FROM container r JOIN log_stream b ON b.app_env_id = r.app_env_id AND b.kind = 'BUILDS'
      WHERE r.container_id = c.id AND r.finished_at IS NULL
        AND b.lease_expires_at > now() - make_interval(secs => ${UNDER_WAY_SECONDS})) AS "isOver"
    FROM content c WHERE c.id = ${contentId}`
  return isOver
}
