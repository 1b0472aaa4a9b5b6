import { z } from 'zod'
import { command } from '../kernel/command.ts'
import { id } from '../kernel/input.ts'
import { lockBackup, requireUnused } from './load-backup.ts'

export const deleteBackup = command({
  name: 'deleteBackup',
  about: 'Delete a backup for good. Refused while an operation takes, restores or verifies it.',
  dangerous: true,
  input: z.strictObject({ backupKey: id('backup') }),
  permission: 'backup:delete',
  target: ({ tx }, { backupKey }) => lockBackup(tx, backupKey),
  async execute({ tx, auditDetails }, _input, { backup }) {
    await requireUnused(tx, backup)
    const data = { status: 'DELETING', hasLeftovers: true, version: { increment: 1 } } as const
    await tx.backup.update({ where: { id: backup.id }, data })
    auditDetails({ cliEnvName: backup.cliEnvName, presetVersion: backup.presetVersion })
    return { message: `The backup ${backup.id} of "${backup.cliEnvName}" is deleted` }
  },
})
