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
