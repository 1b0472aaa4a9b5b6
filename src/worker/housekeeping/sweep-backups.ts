import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { storeOf } from '../../storage/backups/stored-backup.ts'
import { namesIn } from '../../storage/backups/stores/folder-store.ts'
import { backupsFolder } from '../../storage/backups/stores/open-store.ts'
import type { Database } from '../../storage/database/client.ts'
import type { InstallationContext } from '../context/worker-context.ts'

const AT_ONCE = 20
const STORE_MS = 60_000
const HOUR_MS = 3_600_000
const FAILED_KEPT_DAYS = 7

/**
 * Ends what operations on backups have left: backups that were never whole, files of killed workers, volumes that were
 * restored into, and scheduled backups past their retention.
 */
export async function sweepBackups(context: InstallationContext, signal: AbortSignal): Promise<void> {
  const { database, config } = context
  await failUnfinished(database)
  await deleteScratchVolumes(database)
  await expireScheduled(database)
  await removeFiles(context, signal)
  await database.$executeRaw`
    DELETE FROM backup WHERE status = 'FAILED' AND NOT has_leftovers
      AND created_at < now() - make_interval(days => ${FAILED_KEPT_DAYS})`
  await removeUnknownFiles(config, database)
}

/** Their operation has ended, and they are not whole. */
const failUnfinished = (database: Database): Promise<number> => database.$executeRaw`
  UPDATE backup b SET status = 'FAILED', message = coalesce(o.message, 'The operation ended before the backup was whole'),
    finished_at = now(), has_leftovers = true, version = b.version + 1
  FROM operation o WHERE b.status = 'CREATING' AND o.id = b.operation_id AND o.status NOT IN ('QUEUED', 'RUNNING')`

const deleteScratchVolumes = (database: Database): Promise<number> => database.$executeRaw`
  UPDATE volume v SET deleted_at = now() WHERE v.operation_id IS NOT NULL AND v.deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = v.operation_id AND o.status IN ('QUEUED', 'RUNNING'))`

/** By number and by age. The newest that is verified stays, however old it is: it may be the only one that works. */
const expireScheduled = (database: Database): Promise<number> => database.$executeRaw`
  UPDATE backup SET status = 'DELETING', has_leftovers = true, version = version + 1 WHERE id IN (
    SELECT b.id FROM (
      SELECT id, app_env_id, created_at,
        row_number() OVER (PARTITION BY app_env_id ORDER BY id DESC) AS number,
        id = max(id) FILTER (WHERE verified_at IS NOT NULL) OVER (PARTITION BY app_env_id) AS is_newest_verified
      FROM backup WHERE kind = 'SCHEDULED' AND status = 'AVAILABLE') b
    JOIN app_env e ON e.id = b.app_env_id
    WHERE jsonb_typeof(e.backup_schedule) = 'object' AND e.deleted_at IS NULL AND b.is_newest_verified IS NOT TRUE
      AND (b.number > (e.backup_schedule->>'keepCount')::int
        OR b.created_at < now() - make_interval(days => (e.backup_schedule->>'keepDays')::int))
      AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.backup_id = b.id AND o.status IN ('QUEUED', 'RUNNING')))`

/** Everything that is stored under a backup's id, but for the file of a whole one. */
async function removeFiles(context: InstallationContext, stopped: AbortSignal): Promise<void> {
  const { database, log } = context
  const found = await database.backup.findMany({
    where: { hasLeftovers: true, status: { not: 'CREATING' } },
    orderBy: { id: 'asc' },
    take: AT_ONCE,
  })
  for (const backup of found) {
    const { id, status, file, unfinished } = backup
    const isWhole = status === 'AVAILABLE'
    try {
      const store = await storeOf(context, backup)
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(STORE_MS)])
      await store.remove({ prefix: `${id}.`, except: isWhole ? file : null, unfinished, signal })
      const where = { id, status }
      if (status === 'DELETING') await database.backup.deleteMany({ where })
      else await database.backup.updateMany({ where, data: { hasLeftovers: false, unfinished: null } })
    } catch (error) {
      if (stopped.aborted) return
      log.warn({ err: error, backupId: id }, 'Removing files of a backup failed; it is retried')
    }
  }
}

/** Files of backups that no row knows, such as those that came with a copied data folder. */
async function removeUnknownFiles(config: Config, database: Database): Promise<void> {
  const folder = backupsFolder(config)
  const names = (await namesIn(folder)).filter((name) => /^(bak|wal)_/.test(name))
  if (names.length === 0) return
  const idOf = (name: string) => name.split('.')[0] ?? ''
  const about = { where: { id: { in: names.map(idOf) } }, select: { id: true } } as const
  const known = [...(await database.backup.findMany(about)), ...(await database.walPiece.findMany(about))]
  const ids = new Set(known.map(({ id }) => id))
  for (const name of names.filter((name) => !ids.has(idOf(name)))) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (mtimeMs < Date.now() - HOUR_MS) await rm(join(folder, name), { force: true })
  }
}

const PIECES_AT_ONCE = 100

/**
 * Removes pieces of logs that no backup needs: those before the oldest one that is kept, and those of attempts that came
 * to nothing. Then archives that have ended and hold nothing.
 */
export async function sweepWalArchives(context: InstallationContext, signal: AbortSignal): Promise<void> {
  const { database } = context
  await endDeleted(database)
  await expirePieces(database)
  await removePieces(context, signal)
  await database.$executeRaw`
    DELETE FROM log_archive a WHERE ended_at < now() - interval '1 hour'
      AND (NOT is_kept OR NOT EXISTS (SELECT 1 FROM volume v WHERE v.id = a.volume_id))
      AND NOT EXISTS (SELECT 1 FROM log_piece p WHERE p.archive_id = a.id)
      AND NOT EXISTS (SELECT 1 FROM backup b WHERE b.archive_id = a.id AND b.status <> 'FAILED')`
}

/** What a deleted environment has stored can be restored as long as its backups are there. */
const endDeleted = (database: Database): Promise<number> => database.$executeRaw`
  UPDATE log_archive a SET ended_at = now(), end_reason = 'The environment was deleted', message = NULL
  FROM app_env e WHERE a.ended_at IS NULL AND e.id = a.app_env_id AND e.deleted_at IS NOT NULL`

/** A backup that is being taken knows its first piece before it begins. */
const expirePieces = (database: Database): Promise<number> => database.$executeRaw`
  UPDATE log_piece p SET status = 'DELETING' FROM log_archive a WHERE a.id = p.archive_id AND (
    (p.status = 'AVAILABLE' AND p.number <= a.last_piece AND NOT EXISTS (
      SELECT 1 FROM backup b WHERE b.archive_id = a.id AND b.status IN ('CREATING', 'AVAILABLE') AND b.first_piece <= p.number))
    OR (p.status = 'CREATING' AND a.ended_at IS NOT NULL))`

async function removePieces(context: InstallationContext, stopped: AbortSignal): Promise<void> {
  const { database, log } = context
  const found = await database.walPiece.findMany({
    where: { status: 'DELETING' },
    include: { archive: { select: { accountId: true, storageCredentialId: true } } },
    orderBy: { id: 'asc' },
    take: PIECES_AT_ONCE,
  })
  for (const { id, unfinished, archive } of found) {
    try {
      const store = await storeOf(context, archive)
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(STORE_MS)])
      await store.remove({ prefix: `${id}.`, except: null, unfinished, signal })
      await database.walPiece.deleteMany({ where: { id, status: 'DELETING' } })
    } catch (error) {
      if (stopped.aborted) return
      log.warn({ err: error, pieceId: id }, 'Removing a piece of a log failed; it is retried')
    }
  }
}
