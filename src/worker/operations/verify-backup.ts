import { recordedConfiguration } from '../../domain/configuration.ts'
import { Failure } from '../../domain/failure.ts'
import { newId } from '../../domain/ids.ts'
import { statusAfter } from '../../domain/operation.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import { planRestoration, restoreRunning, restoreStopped, verifyRestored } from '../backups/restore-data.ts'
import { serviceTask } from '../backups/service-task.ts'
import { fenced } from '../claim/fenced.ts'
import { withBackgroundReconcile } from '../reconcile/background-reconcile.ts'
import { probeService } from '../service/probe-service.ts'
import { sleep } from '../time/sleep.ts'

const PAUSE_MS = 500
const LINES_SHOWN = 10

/** Restores a backup into a throw-away container without a network, and asks it. Only then is the backup verified. */
export async function verifyBackup(started: AttemptContext): Promise<void> {
  const { operation, appEnv, lease } = started
  const { backup } = operation
  const content = appEnv.currentContent
  if (!backup || !content) throw new Error(`${operation.id} names no backup to verify, or nothing is deployed`)
  const attempt = { ...started, content }
  const volume = await freshVolume(attempt)
  try {
    await withBackgroundReconcile(attempt, () => tryOut(attempt, backup, volume))
  } catch (error) {
    if (error instanceof Failure && error.isFinal && !attempt.signal.aborted)
      await recordFailure(attempt, backup, error)
    throw error
  } finally {
    // Housekeeping does the same for a worker that was killed, or that has lost its lease.
    await attempt.engine.removeTasks(operation.id).catch(() => {})
  }
  await completeOperation(attempt, {
    status: statusAfter(operation.previousStatus, true),
    finish: [{ name: 'verify', detail: 'what was restored answers' }],
    async write(tx) {
      const data = { verifiedAt: lease.claim.clock.now(), verifyMessage: null, version: { increment: 1 } }
      await tx.backup.updateMany({ where: { id: backup.id }, data })
      await tx.$executeRaw`UPDATE volume SET deleted_at = now() WHERE operation_id = ${operation.id}`
    },
  })
}

type Place = { id: string; path: string }

/** Volumes of the operation are deleted when it has ended, also those of attempts that were killed. */
async function freshVolume({ database, lease, operation, appEnv, content }: VersionAttemptContext): Promise<Place> {
  const { volume } = recordedConfiguration(content)
  if (!volume) throw new BackupFailed('VERIFY_FAILED', 'The service keeps no data, so there is nowhere to restore into')
  const { accountId, id: appEnvId, cliEnvName, regionCode } = appEnv
  const { path, diskMb } = volume
  const id = newId('vol')
  await fenced(database, lease, (tx) =>
    tx.volume.create({
      data: { id, accountId, appEnvId, cliEnvName, regionCode, path, diskMb, operationId: operation.id },
    }),
  )
  return { id, path }
}

async function tryOut(attempt: VersionAttemptContext, backup: Backup, volume: Place): Promise<void> {
  const { steps, engine, operation } = attempt
  await steps.advance({ start: 'restore' })
  const restoration = await planRestoration(attempt, backup)
  await engine.removeTasks(operation.id)
  await restoreStopped(attempt, restoration, volume)
  const name = await engine.startTask(await serviceTask(attempt, { purpose: 'verify', command: null, volume }))
  await untilReady(attempt, name)
  await restoreRunning(attempt, restoration, name)
  await steps.advance({ finish: { name: 'restore', detail: 'restored into a throw-away container' }, start: 'verify' })
  await verifyRestored(attempt, name)
}

async function untilReady(attempt: VersionAttemptContext, name: string): Promise<void> {
  const { appEnv, content, config, signal } = attempt
  const end = performance.now() + config.BERTH_READY_TIMEOUT_SECONDS * 1000
  for (;;) {
    const answer = await probeService(attempt, appEnv, content, { name })
    if (answer?.ready) return
    signal.throwIfAborted()
    if (performance.now() > end)
      throw new BackupFailed('VERIFY_FAILED', await whyUnready(attempt, name, answer?.reason ?? 'it does not answer'))
    await sleep(PAUSE_MS, signal)
  }
}

/** With the container's last lines, which cannot be read once it is removed. */
async function whyUnready(attempt: VersionAttemptContext, name: string, reason: string): Promise<string> {
  const lines = await attempt.engine.tail(name, LINES_SHOWN).catch(() => [])
  const printed = await attempt.quote(lines.map(({ message }) => message).join('\n'))
  return `The throw-away container was not ready in time: ${reason}\n${printed}`.trimEnd()
}

async function recordFailure(
  { database, lease, quote }: AttemptContext,
  { id }: Backup,
  error: Failure,
): Promise<void> {
  const verifyMessage = await quote(error.message)
  const data = { verifiedAt: null, verifyMessage, version: { increment: 1 } }
  await fenced(database, lease, (tx) => tx.backup.updateMany({ where: { id }, data }))
}
