import { statusAfter } from '../../domain/operation.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { recordSaved, save, savedDetail } from '../backups/save.ts'

/** Takes a backup. Whatever ends it before its last transaction, no backup is listed, and housekeeping removes its file. */
export async function backUp(attempt: AttemptContext): Promise<void> {
  const { operation, appEnv, lease } = attempt
  const { backup } = operation
  if (!backup) throw new Error(`${operation.id} names no backup to take`)
  const saved = await save(attempt, backup)
  await completeOperation(attempt, {
    status: statusAfter(operation.previousStatus, appEnv.currentContentId !== null),
    finish: [{ name: 'save', detail: savedDetail(saved) }],
    write: (tx) => recordSaved(tx, backup, saved, lease.claim.clock.now()),
  })
}
