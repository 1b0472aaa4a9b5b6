import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { contentOf } from '../../backups/stored-backup.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/client.ts'
import { databaseTime } from '../../database/time.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import type { Vault } from '../../secrets/vault.ts'
import { command } from '../kernel/command.ts'
import { id } from '../kernel/input.ts'
import { originOf } from '../kernel/origin.ts'
import { lockBackup, requireAvailable } from './load-backup.ts'

export const BACKUP_FILE_PATH = '/api/public/v1/app-env/backup-file'

const LINK_SECONDS = 900

export const downloadBackup = command({
  name: 'downloadBackup',
  about:
    'Request an address to read a backup from, decrypted, in the format of the engine’s own tool. Whoever knows the address can read it for 15 minutes.',
  input: z.strictObject({ backupKey: id('backup') }),
  permission: 'backup:download',
  target: ({ tx }, { backupKey }) => lockBackup(tx, backupKey),
  async execute(context, _input, { backup }) {
    requireAvailable(backup)
    if (backup.isBase)
      throw conflict(
        'BACKUP_IS_BASE',
        'A backup with point in time is of use only with the log that belongs to it: restore it, or download one taken by hand',
      )
    const now = await databaseTime(context.tx)
    // The address is given away, and ends with the token that asked for it.
    const end = Math.min(now.getTime() + LINK_SECONDS * 1000, context.caller.expiresAt?.getTime() ?? Infinity)
    const expires = String(Math.floor(end / 1000))
    const expiresAt = new Date(Number(expires) * 1000).toISOString()
    const signature = signatureOf(context.vault, backup.id, expires)
    context.auditDetails({ cliEnvName: backup.cliEnvName, presetVersion: backup.presetVersion, expiresAt })
    context.created(signature)
    const query = new URLSearchParams({ backupKey: backup.id, expires, signature })
    const downloadUrl = `${originOf(context)}${BACKUP_FILE_PATH}?${query}`
    context.created(downloadUrl)
    return { downloadUrl, expiresAt }
  },
})

const signatureOf = (vault: Vault, backupKey: string, expires: string): string =>
  vault.linkMac(`download ${backupKey} ${expires}`)

export interface BackupLink {
  backupKey: string
  expires: string
  signature: string
}

/** What an address leads to: the name of the file, and its content as it is read. Throws NOT_FOUND for any other. */
export async function readBackupByLink(
  context: { database: Database; config: Config; vault: Vault },
  { backupKey, expires, signature }: BackupLink,
  signal: AbortSignal,
) {
  const expected = Buffer.from(signatureOf(context.vault, backupKey, expires))
  const sent = Buffer.from(signature)
  const isSigned = sent.length === expected.length && timingSafeEqual(sent, expected)
  const now = await databaseTime(context.database)
  const isValid = isSigned && Number(expires) * 1000 > now.getTime()
  const backup = isValid
    ? await context.database.backup.findFirst({
        where: { id: backupKey, status: 'AVAILABLE' },
        include: { account: { select: { id: true, dataKey: true } } },
      })
    : null
  if (!backup) throw notFound('backup that this address leads to', backupKey)
  const { account, cliEnvName, createdAt } = backup
  const at = createdAt.toISOString().replaceAll(':', '').slice(0, 17)
  return { name: `${cliEnvName}-${at}.backup`, content: contentOf({ ...context, signal }, account, backup) }
}
