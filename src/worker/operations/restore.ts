import { recordedConfiguration } from '../../domain/configuration.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import {
  planRestoration,
  type Restoration,
  restoreRunning,
  restoreStopped,
  verifyRestored,
} from '../backups/restore-data.ts'
import { recordSaved, save, savedDetail } from '../backups/save.ts'
import { deployWith } from './deploy.ts'

/**
 * Saves what is there, if that was asked for, then deploys a version on a fresh volume that the backup is restored
 * into. The old volume is untouched up to the transaction that routes to the new one: after a failure, it serves again.
 */
export async function restore(attempt: AttemptContext): Promise<void> {
  const { operation, database } = attempt
  const { backup } = operation
  if (!backup) throw new Error(`${operation.id} names no backup to restore`)
  const restoration = await planRestoration(attempt, backup)
  const before = await database.backup.findFirst({
    where: { operationId: operation.id, kind: 'BEFORE_RESTORE' },
  })
  if (before) await saveBefore(attempt, before)
  await deployWith(attempt, {
    startsOver: ({ steps }) => !steps.isFinished('restore'),
    prepare: (version) => prepare(version, restoration),
    async fill(version, [ready]) {
      if (!ready || version.steps.isFinished('restore')) return
      await version.steps.advance({ start: 'restore' })
      const restored = await restoreRunning(version, restoration, ready.name)
      await verifyRestored(version, ready.name)
      await version.steps.advance({
        finish: { name: 'restore', detail: `${restored}, and answers` },
      })
    },
    commit: commitOf(attempt, before !== null),
  })
}

async function saveBefore(attempt: AttemptContext, before: Backup): Promise<void> {
  const { steps, lease } = attempt
  if (steps.isFinished('save')) return
  const saved = await save(attempt, before)
  await steps.advance({
    finish: { name: 'save', detail: savedDetail(saved) },
    write: (tx) => recordSaved(tx, before, saved, lease.claim.clock.now()),
  })
}

/** A partly restored backup is unusable: every attempt begins with an empty volume. */
async function prepare(attempt: VersionAttemptContext, restoration: Restoration): Promise<void> {
  const { steps, engine, operation, content } = attempt
  if (steps.isFinished('restore')) return
  const { volume } = recordedConfiguration(content)
  if (!volume) throw new Error(`${content.id} has no volume to restore into`)
  await engine.remove({ rolloutId: operation.id }, attempt.graceSeconds)
  await engine.removeTasks(operation.id)
  await engine.removeVolume(volume.id)
  await restoreStopped(attempt, restoration, { id: volume.id, path: volume.path })
}

/** The former volume is detached. With a backup of it, it is deleted; otherwise it is kept. */
function commitOf({ operation, appEnv }: AttemptContext, isSaved: boolean) {
  const volume = operation.content && recordedConfiguration(operation.content).volume
  if (!volume) throw new Error(`${operation.id} has no volume to restore into`)
  return {
    appEnv: { volumeId: volume.id },
    async write(tx: Transaction) {
      await tx.volume.updateMany({ where: { id: volume.id }, data: { operationId: null } })
      const before = appEnv.volumeId
      if (!isSaved || before === null || before === volume.id) return
      await tx.$executeRaw`UPDATE volume SET deleted_at = now(), version = version + 1 WHERE id = ${before}`
      // Their records say that a rollback to them would be refused.
      await tx.content.updateMany({
        where: { appEnvId: appEnv.id, configuration: { path: ['volume', 'id'], equals: before } },
        data: { volumeDeleted: true },
      })
    },
  }
}
