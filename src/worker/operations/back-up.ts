import { statusAfter } from '../../domain/operation.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { recordSaved, save, savedDetail } from '../backups/save.ts'
import { beginBase, completeBase } from '../backups/save-files.ts'

/** Takes a backup. Whatever ends it before its last transaction, no backup is listed, and housekeeping removes its file. */
export async function backUp(attempt: AttemptContext): Promise<void> {
  const { operation, appEnv, lease } = attempt
  const { backup } = operation
  if (!backup) throw new Error(`${operation.id} names no backup to take`)
  const archive = backup.isBase ? await beginBase(attempt, backup) : null
  const saved = await save(attempt, backup)
  const base = archive ? await completeBase(attempt, archive) : {}
  await completeOperation(attempt, {
    status: statusAfter(operation.previousStatus, appEnv.currentContentId !== null),
    finish: [{ name: 'save', detail: savedDetail(saved) }],
    async write(tx) {
      await tx.backup.updateMany({ where: { id: backup.id }, data: base })
      await recordSaved(tx, backup, saved, lease.claim.clock.now())
    },
  })
}
