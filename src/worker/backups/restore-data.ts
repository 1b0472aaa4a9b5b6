import { recordedConfiguration } from '../../domain/configuration.ts'
import type { Rollout } from '../../engines/runtime/container-runtime.ts'
import { contentOf } from '../../storage/backups/stored-backup.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import { type ServiceContainer, serviceContainer } from '../service/service-container.ts'
import { secondsLeft, succeeded } from './backup-command.ts'
import { progressOf, reported } from './progress.ts'
import { replayLog, restoreFiles } from './replay.ts'
import { planReplay, type ReplayPlan } from './replay-plan.ts'
import { serviceTask } from './service-task.ts'

export function serviceOf(attempt: VersionAttemptContext): ServiceContainer {
  const service = serviceContainer(attempt, attempt.appEnv, recordedConfiguration(attempt.content))
  if (!service) throw new Error(`${attempt.appEnv.id} is no managed service`)
  return service
}

/** A backup, and how it is restored to a moment; null for one that has its own moment only. */
export interface Restoration {
  backup: Backup
  replay: ReplayPlan | null
}

/** Before anything is touched: throws where the moment of the operation cannot be restored. */
export async function planRestoration(
  { database, operation }: Pick<AttemptContext, 'database' | 'operation'>,
  backup: Backup,
): Promise<Restoration> {
  return { backup, replay: backup.isBase ? await planReplay(database, backup, operation.pointInTime) : null }
}

/** Into an empty volume, before the engine starts on it; for engines that restore so. */
export async function restoreStopped(
  attempt: VersionAttemptContext,
  { backup, replay }: Restoration,
  volume: NonNullable<Rollout['volume']>,
): Promise<void> {
  const service = serviceOf(attempt)
  if (replay) return restoreFiles(attempt, service, backup, replay, volume)
  const { restore } = service.engine.backup
  if (restore.while !== 'STOPPED') return
  const task = await serviceTask(attempt, { purpose: 'restore', command: restore.command, volume })
  const options = { input: contentFor(attempt, backup), timeoutSeconds: secondsLeft(attempt) }
  await succeeded(attempt, 'RESTORE_FAILED', 'restores the data', attempt.engine.runTask(task, options))
}

/**
 * Into the engine before it serves clients, for engines that restore so; then fits what was restored to it. Returns a
 * detail of the step.
 */
export async function restoreRunning(
  attempt: VersionAttemptContext,
  { backup, replay }: Restoration,
  name: string,
): Promise<string> {
  const service = serviceOf(attempt)
  const { engine, container } = service
  if (replay) {
    const lastChange = await replayLog(attempt, service, backup, replay, name)
    return `backup ${backup.id} is restored${lastChange ? `, with changes up to ${lastChange}` : ''}`
  }
  const { restore, afterRestore } = engine.backup
  const options = { key: 'backup', environment: container.environment, timeoutSeconds: secondsLeft(attempt) }
  if (restore.while === 'RUNNING') {
    const input = contentFor(attempt, backup)
    const restoring = attempt.engine.exec(name, restore.command, { ...options, input })
    await succeeded(attempt, 'RESTORE_FAILED', 'restores the data', restoring)
  }
  const detail = `backup ${backup.id} is restored`
  if (!afterRestore) return detail
  const fitting = attempt.engine.exec(name, afterRestore, options)
  await succeeded(attempt, 'RESTORE_FAILED', 'completes the restored data', fitting)
  return detail
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
