import { storeOf } from '../../storage/backups/stored-backup.ts'
import type { Database } from '../../storage/database/client.ts'
import type { InstallationContext } from '../context/worker-context.ts'

const AT_ONCE = 100
const STORE_MS = 60_000

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
    take: AT_ONCE,
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
