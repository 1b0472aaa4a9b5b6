import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import { messageAnswer } from '../../calls/outcome.ts'
import type { Database } from '../../storage/database/client.ts'
import { lockBackup, requireUnused } from './load-backup.ts'

interface DeletedBackup extends Record<string, unknown> {
  message: string
  backupKey: string
}

export const deleteBackup = command({
  name: 'deleteBackup',
  rest: { method: 'DELETE', path: '/app-env/backup', answer: messageAnswer },
  versioned: true,
  waits: true,
  about: 'Delete a backup for good. Refused while an operation takes, restores or verifies it.',
  dangerous: true,
  input: z.strictObject({ backupKey: id('backup') }),
  permission: 'backup:delete',
  target: ({ tx }, { backupKey }) => lockBackup(tx, backupKey),
  async execute({ tx, auditDetails }, _input, { backup }): Promise<DeletedBackup> {
    await requireUnused(tx, backup)
    const data = { status: 'DELETING', hasLeftovers: true, version: { increment: 1 } } as const
    await tx.backup.update({ where: { id: backup.id }, data })
    auditDetails({ cliEnvName: backup.cliEnvName, presetVersion: backup.presetVersion })
    return { message: `The backup ${backup.id} of "${backup.cliEnvName}" is deleted`, backupKey: backup.id }
  },
  // It is gone from every answer at once; a worker removes its file.
  progress: {
    async observe(database: Database, { backupKey }: DeletedBackup) {
      const found = await database.backup.findUnique({ where: { id: backupKey }, select: { accountId: true } })
      return { hasEnded: !found, accountId: found?.accountId }
    },
    async answer(database: Database, result: DeletedBackup) {
      const isThere = await database.backup.findUnique({ where: { id: result.backupKey }, select: { id: true } })
      return { ...result, operationStatus: isThere ? ('RUNNING' as const) : ('SUCCEEDED' as const) }
    },
  },
})
