import { z } from 'zod'
import type { CommandContext } from '../../calls/command.ts'
import { conflict } from '../../domain/errors.ts'
import { backupCallAnswer } from '../backup/backup-fields.ts'
import { deployedService, LOCAL, newBackup, requireBackupRoom, storageOf } from '../backup/new-backup.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { openOperationOf } from './begin-operation.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const storage = z
  .string()
  .min(1)
  .max(100)
  .describe(
    'Storage of the backup: LOCAL, the data folder of the installation, or the id of an OBJECT_STORAGE credential.',
  )

export const backUpAppEnv = lifecycleOperation({
  name: 'backUpAppEnv',
  path: '/app-env/backup',
  answer: backupCallAnswer,
  about: 'Take a backup of a managed service by its engine’s own tool, compressed and encrypted.',
  accepted: 'The backup is being taken',
  permission: 'backup:create',
  input: { storage: storage.default(LOCAL) },
  async plan(context, appEnv, input) {
    const { engine, presetVersion } = deployedService(appEnv)
    await requireQuiet(context, appEnv)
    if (engine.backup.save.while === 'RUNNING') requireRunning(appEnv)
    await requireBackupRoom(context, appEnv.accountId)
    const storageCredentialId = await storageOf(context, appEnv, 'storage', input.storage)
    const { id, create } = newBackup(context, appEnv, { kind: 'MANUAL', presetVersion, storageCredentialId })
    context.auditDetails({ backupKey: id, storage: input.storage })
    return { intent: { kind: 'BACKUP', backupId: id, prepare: create }, backupKey: id }
  },
})

/** Data is moved beside nothing else: neither call takes the place of an operation that is open. */
export async function requireQuiet({ tx }: Pick<CommandContext, 'tx'>, appEnv: LoadedAppEnv): Promise<void> {
  const open = await openOperationOf(tx, appEnv)
  if (open) throw conflict('OPERATION_IN_PROGRESS', `An operation is in progress: ${open.kind} (${open.id})`)
}

export function requireRunning({ status }: LoadedAppEnv): void {
  if (status !== 'RUNNING')
    throw conflict('ENVIRONMENT_STOPPED', 'The service does not run, and cannot be asked for its data: start it first')
}
