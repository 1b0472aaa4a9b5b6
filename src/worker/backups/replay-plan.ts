import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Backup, WalPiece } from '../../storage/database/generated/prisma/client.ts'

/** Which pieces of a log restore the files of a backup to a moment. */
export interface ReplayPlan {
  /** For the engine: a moment, `consistent` or `end` (`EnginePointInTime.replay`). */
  target: string
  /** What makes the files consistent. */
  first: WalPiece[]
  /** What follows up to the moment. */
  further: WalPiece[]
}

/**
 * Decided before anything is touched, and once: the archive may grow meanwhile. Throws BACKUP_MISSING for a moment that
 * the archive does not reach without a gap.
 */
export async function planReplay(database: Database, backup: Backup, pointInTime: Date | null): Promise<ReplayPlan> {
  const { archiveId, firstPiece, consistentPiece, restorableFrom } = backup
  if (archiveId === null || firstPiece === null || consistentPiece === null || restorableFrom === null)
    throw new BackupFailed('BACKUP_MISSING', `The log that belongs to the backup ${backup.id} is gone`)
  const archive = await database.walArchive.findUniqueOrThrow({ where: { id: archiveId } })
  if (pointInTime && (pointInTime < restorableFrom || archive.until === null || pointInTime > archive.until))
    throw new BackupFailed('BACKUP_MISSING', `The log does not reach ${pointInTime.toISOString()}`)
  const pieces = await database.walPiece.findMany({
    where: { archiveId, status: 'AVAILABLE', number: { gte: firstPiece, lte: archive.lastPiece } },
    orderBy: { number: 'asc' },
  })
  const plan = choosePieces(pieces, consistentPiece, pointInTime)
  const missing = gapIn([...plan.first, ...plan.further], firstPiece, plan.last ?? archive.lastPiece)
  if (missing !== null)
    throw new BackupFailed(
      'BACKUP_MISSING',
      `The piece ${missing} of the log is gone, so it does not reach that moment`,
    )
  return plan
}

/** Pure. `last`: the number of the piece that ends the replay; null: the last one that there is. */
export function choosePieces(
  pieces: readonly WalPiece[],
  consistentPiece: number,
  pointInTime: Date | null,
): ReplayPlan & { last: number | null } {
  const first = pieces.filter(({ number }) => number <= consistentPiece)
  if (!pointInTime) return { target: 'consistent', first, further: [], last: consistentPiece }
  const later = pieces.filter(({ number }) => number > consistentPiece)
  const isReached = ({ until }: WalPiece) => until !== null && until >= pointInTime
  if (first.some(isReached)) return { target: pointInTime.toISOString(), first, further: [], last: consistentPiece }
  const end = later.find(isReached)
  // Nothing was committed between the last piece and the moment.
  if (!end) return { target: 'end', first, further: later, last: null }
  const further = later.filter(({ number }) => number <= end.number)
  return { target: pointInTime.toISOString(), first, further, last: end.number }
}

/** The first number from `from` up to `to` that is missing; null where none is. */
export function gapIn(pieces: readonly { number: number }[], from: number, to: number): number | null {
  for (let number = from; number <= to; number += 1) if (pieces[number - from]?.number !== number) return number
  return null
}
