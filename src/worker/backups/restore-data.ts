import { BackupFailed } from '../../backups/backup-failed.ts'
import { contentOf } from '../../backups/stored-backup.ts'
import type { Backup } from '../../database/generated/prisma/client.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ExecResult } from '../../runtime/command.ts'
import type { Rollout } from '../../runtime/container-runtime.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { type ServiceContainer, serviceContainer } from '../service/service-container.ts'
import { progressOf, reported } from './progress.ts'
import { secondsLeft } from './save.ts'
import { serviceTask } from './service-task.ts'

export function serviceOf(attempt: VersionAttemptContext): ServiceContainer {
  const service = serviceContainer(attempt, attempt.appEnv, recordedConfiguration(attempt.content))
  if (!service) throw new Error(`${attempt.appEnv.id} is no managed service`)
  return service
}

/** Into an empty volume, before the engine starts on it; for engines that restore so. */
export async function restoreStopped(
  attempt: VersionAttemptContext,
  backup: Backup,
  volume: NonNullable<Rollout['volume']>,
): Promise<void> {
  const { restore } = serviceOf(attempt).engine.backup
  if (restore.while !== 'STOPPED') return
  const task = await serviceTask(attempt, { purpose: 'restore', command: restore.command, volume })
  const options = { input: contentFor(attempt, backup), timeoutSeconds: secondsLeft(attempt) }
  await succeeded(attempt, 'RESTORE_FAILED', 'restores the data', attempt.engine.runTask(task, options))
}

/** Into the engine that serves nobody yet, for engines that restore so; then fits what was restored to it. */
export async function restoreRunning(attempt: VersionAttemptContext, backup: Backup, name: string): Promise<void> {
  const { engine, container } = serviceOf(attempt)
  const { restore, afterRestore } = engine.backup
  const options = { key: 'backup', environment: container.environment, timeoutSeconds: secondsLeft(attempt) }
  if (restore.while === 'RUNNING') {
    const input = contentFor(attempt, backup)
    const restoring = attempt.engine.exec(name, restore.command, { ...options, input })
    await succeeded(attempt, 'RESTORE_FAILED', 'restores the data', restoring)
  }
  if (!afterRestore) return
  const fitting = attempt.engine.exec(name, afterRestore, options)
  await succeeded(attempt, 'RESTORE_FAILED', 'completes the restored data', fitting)
}

/** Asks the engine's verify query of what was restored. */
export async function verifyRestored(attempt: VersionAttemptContext, name: string): Promise<void> {
  const { engine, container } = serviceOf(attempt)
  const options = { key: 'backup', environment: container.environment, timeoutSeconds: secondsLeft(attempt) }
  await succeeded(
    attempt,
    'VERIFY_FAILED',
    'reads what was restored',
    attempt.engine.exec(name, engine.backup.verify, options),
  )
}

const contentFor = (attempt: VersionAttemptContext, backup: Backup) =>
  reported(contentOf(attempt, attempt.appEnv.account, backup), progressOf(attempt, 'restore', 'restored'))

async function succeeded(
  attempt: VersionAttemptContext,
  reason: 'RESTORE_FAILED' | 'VERIFY_FAILED',
  what: string,
  running: Promise<ExecResult>,
): Promise<void> {
  const { exitCode, errorOutput } = await running
  if (exitCode === 0) return
  const said = await attempt.quote(errorOutput.trim())
  throw new BackupFailed(reason, `The command that ${what} ended with ${exitCode}: ${said}`)
}
