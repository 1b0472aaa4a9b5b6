import { randomBytes } from 'node:crypto'
import type { Engine, EngineBackup, EngineCommand } from '../../app-types/engines/engine.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { RuntimeError } from '../../engines/runtime/container-runtime.ts'
import { BackupFailed } from '../../storage/backups/backup-failed.ts'
import { writeBackup } from '../../storage/backups/backup-stream.ts'
import { bytesLeft } from '../../storage/backups/budget.ts'
import { storeOf } from '../../storage/backups/stored-backup.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import { fenced } from '../claim/fenced.ts'
import { withBackgroundReconcile } from '../reconcile/background-reconcile.ts'
import { drainClients } from '../service/drain-clients.ts'
import { runningPrimary } from '../service/primary.ts'
import { type ServiceContainer, serviceContainer } from '../service/service-container.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import { drainOthers } from '../version/route.ts'
import { secondsLeft } from './backup-command.ts'
import { megabytes, progressOf } from './progress.ts'
import { serviceTask } from './service-task.ts'

export interface Saved {
  sizeBytes: number
  sha256: string
  sealedKey: string
}

type Output = (chunk: Uint8Array) => Promise<void>

/**
 * Writes what the service holds into a new file, under a name and a key of this attempt: a worker that was paused
 * meanwhile writes another one. The backup becomes available with the caller's transaction.
 */
export async function save(started: AttemptContext, backup: Backup): Promise<Saved> {
  const { appEnv, steps, lease, vault, signal } = started
  const content = appEnv.currentContent
  if (!content) throw new RuntimeError('NOT_RUNNING', 'Nothing was ever deployed, so there is nothing to save')
  const attempt = { ...started, content }
  const service = serviceContainer(attempt, appEnv, recordedConfiguration(content))
  if (!service) throw new Error(`${appEnv.id} is no managed service`)
  await steps.advance({ start: 'save' })
  const key = randomBytes(32)
  const file = `${backup.id}.${lease.claim.token}`
  const store = await storeOf(attempt, backup)
  await remember(attempt, backup, { file, unfinished: null })
  const written = await writeBackup({
    store,
    file,
    key,
    signal,
    header: { backupId: backup.id, presetVersion: backup.presetVersion },
    maxBytes: await bytesLeft(attempt.database, attempt.config, backup.accountId),
    begun: (unfinished) => remember(attempt, backup, { unfinished }),
    progress: progressOf(attempt, 'save', 'read'),
    produce: (output) => produce(attempt, service, savingOf(service.engine, backup), output),
  })
  lease.assertHeld()
  return { ...written, sealedKey: vault.forAccount(appEnv.account).sealBackupKey(backup.id, key) }
}

export const savedDetail = ({ sizeBytes }: Saved): string => `${megabytes(sizeBytes)} stored, encrypted`

export const recordSaved = (
  tx: Transaction,
  { id }: Backup,
  { sizeBytes, sha256, sealedKey }: Saved,
  finishedAt: Date,
) =>
  tx.backup.updateMany({
    where: { id, status: 'CREATING' },
    data: {
      status: 'AVAILABLE',
      sizeBytes: BigInt(sizeBytes),
      sha256,
      sealedKey,
      finishedAt,
      unfinished: null,
      message: null,
      version: { increment: 1 },
    },
  })

/** Written before there is a file, so that housekeeping finds it after a kill. */
const remember = (
  { database, lease }: AttemptContext,
  { id }: Backup,
  data: { file?: string; unfinished: string | null },
): Promise<void> => fenced(database, lease, async (tx) => void (await tx.backup.updateMany({ where: { id }, data })))

/** A base is a copy of the files; any other backup is what the engine's tool for backups writes. */
const savingOf = ({ backup: { save }, pointInTime, title }: Engine, { isBase }: Backup): EngineBackup['save'] => {
  if (!isBase) return save
  if (!pointInTime) throw new BackupFailed('BACKUP_FAILED', `${title} cannot be restored to a point in time`)
  return { while: 'RUNNING', command: pointInTime.saveFiles }
}

async function produce(
  attempt: VersionAttemptContext,
  service: ServiceContainer,
  { while: state, command }: EngineBackup['save'],
  output: Output,
): Promise<void> {
  const run = state === 'RUNNING' ? saveRunning : saveStopped
  const { exitCode, errorOutput } = await run(attempt, service, command, output)
  if (exitCode === 0) return
  const said = await attempt.quote(errorOutput.trim())
  throw new BackupFailed('BACKUP_FAILED', `The command that saves the data ended with ${exitCode}: ${said}`)
}

async function saveRunning(
  attempt: VersionAttemptContext,
  { container }: ServiceContainer,
  command: EngineCommand,
  output: Output,
) {
  const name = (await runningPrimary(attempt, 'be asked for its data')).name
  const options = { key: 'backup', environment: container.environment, output, timeoutSeconds: secondsLeft(attempt) }
  return withBackgroundReconcile(attempt, () => attempt.engine.exec(name, command, options))
}

/** Reconciles start the service again as soon as the operation has ended, however it ends. */
async function saveStopped(
  attempt: VersionAttemptContext,
  _service: ServiceContainer,
  command: EngineCommand,
  output: Output,
) {
  const { database, lease, appEnv, operation, content } = attempt
  const { volume } = recordedConfiguration(content)
  if (!volume)
    throw new BackupFailed('BACKUP_FAILED', 'The service has no volume that could be saved while it is stopped')
  await fenced(database, lease, async (tx) => {
    await drainOthers(tx, appEnv.id, null, 0)
    await notifyIngresses(tx)
  })
  await drainClients(attempt, lease.claim.clock.now())
  await removeReplicas(attempt, await attempt.engine.observe())
  await attempt.engine.removeTasks(operation.id)
  const place = { id: volume.id, path: volume.path }
  const task = await serviceTask(attempt, { purpose: 'save', command, volume: place })
  return attempt.engine.runTask(task, { output, timeoutSeconds: secondsLeft(attempt) })
}
