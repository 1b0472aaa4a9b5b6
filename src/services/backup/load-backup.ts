import type { Target } from '../../calls/command.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Backup } from '../../storage/database/generated/prisma/client.ts'

export type BackupTarget = Target & { backup: Backup }

export async function lockBackup(tx: Transaction, backupKey: string): Promise<BackupTarget> {
  await tx.$queryRaw`SELECT 1 FROM backup WHERE id = ${backupKey} FOR UPDATE`
  const backup = await tx.backup.findFirst({ where: { id: backupKey, status: { not: 'DELETING' } } })
  if (!backup) throw notFound('backup', backupKey)
  const { accountId, appEnvId, version } = backup
  return { type: 'backup', id: backupKey, accountId, appEnvId, version, backup }
}

/** Throws unless the backup is whole. */
export function requireAvailable({ id, status }: Backup): void {
  if (status !== 'AVAILABLE') throw conflict('BACKUP_NOT_AVAILABLE', `The backup ${id} is ${status}, not AVAILABLE`)
}

export async function requireUnused(tx: Transaction, { id }: Backup): Promise<void> {
  const used = await tx.operation.findFirst({ where: { backupId: id, status: { in: [...OPEN_STATUSES] } } })
  if (used) throw conflict('BACKUP_IN_USE', `The operation ${used.id} (${used.kind}) uses the backup ${id}`)
}
