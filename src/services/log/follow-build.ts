import type { Caller } from '../../calls/caller.ts'
import { findRow, findRows } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { followLogs, type LiveLines } from './log-queries.ts'

/** Lines that were sent before the claim ended may be committed a little later. */
const UNDER_WAY_SECONDS = 5

/** The version whose build is followed. */
export interface BuildAddress {
  appEnvId: string
  contentId: string
}

/** The version whose build is meant: the named one, or the environment's newest that was built and repeats no other. */
export async function getBuild(
  database: Database,
  caller: Caller,
  { contentId, ...address }: AppEnvAddress & { contentId?: string | undefined },
): Promise<BuildAddress & { accountId: string }> {
  const { id: appEnvId, accountId } = await observeAppEnv(database, caller, address)
  const content = contentId
    ? await findRow(database, 'Content', { where: { id: contentId, appEnvId } })
    : await newestBuild(database, appEnvId)
  if (content) return { appEnvId, accountId, contentId: content.id }
  throw contentId ? notFound('deployment', contentId) : notFound('build in the app environment', appEnvId)
}

async function newestBuild(database: Database, appEnvId: string) {
  const builds = await findRows(database, 'Container', {
    where: { appEnvId, phase: 'build' },
    select: { contentId: true },
  })
  const logged = { id: { in: builds.map(({ contentId }) => contentId) } }
  // A version that repeats another had its image from the start, and never gets a log.
  return findRow(database, 'Content', {
    where: { appEnvId, type: 'BUILD', OR: [logged, { imageDigest: null }] },
    orderBy: { version: 'desc' },
  })
}

export interface BuildLines extends LiveLines {
  /** The build has ended, and these lines are the last of its output. */
  hasEnded: boolean
}

/** A build's output after a line number, oldest first; without one, from its first line. */
export async function followBuild(
  database: Database,
  caller: Caller,
  { appEnvId, contentId }: BuildAddress,
  { limit, after }: { limit: number; after: bigint | null },
): Promise<BuildLines> {
  // Checked before the lines are read: if the build has ended by now, all its lines are written.
  const isOver = await isBuildOver(database, contentId)
  const filter = { type: 'BUILD', contentId } as const
  const live = await followLogs(database, caller, { appEnvId }, filter, { limit, after: after ?? 0n })
  return { ...live, hasEnded: isOver && live.isCaughtUp }
}

/**
 * A cancelled version ends at once, its log only when the worker finds out: the worker closes the log, or is dead. Then
 * its claim of the log stream expires, and without a claim it writes nothing.
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
