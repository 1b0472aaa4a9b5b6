import { z } from 'zod'
import { command, originOf } from '../../calls/command.ts'
import { id } from '../../calls/input.ts'
import type { Config } from '../../config/config.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { contentOf } from '../../storage/backups/stored-backup.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { makerMay } from '../links/maker-may.ts'
import { endOf, isSignature, makerOf, signatureOf, whileOpen } from '../links/signed-link.ts'
import { backupDownloadAnswer } from './backup-fields.ts'
import { lockBackup, requireAvailable } from './load-backup.ts'

export const BACKUP_FILE_PATH = '/api/public/v1/app-env/backup-file'

const LINK_SECONDS = 900

export const downloadBackup = command({
  name: 'downloadBackup',
  rest: { method: 'POST', path: '/app-env/backup-download', answer: backupDownloadAnswer },
  versioned: true,
  about:
    'Request an address to read a backup from, decrypted, in the format of the engine’s own tool. The address needs no token, and works for 15 minutes, as long as yours does and may read the backup.',
  example: { answer: { downloadUrl: 'https://berth.example.com/api/public/v1/app-env/backup-file?backupKey=…' } },
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
    const expires = String(endOf(now, LINK_SECONDS, context.caller.expiresAt))
    const expiresAt = new Date(Number(expires) * 1000).toISOString()
    const signed = { backupKey: backup.id, expires, maker: context.caller.tokenId }
    const signature = backupSignature(context.vault, signed, await isThere(context.tx, backup.appEnvId))
    context.auditDetails({ cliEnvName: backup.cliEnvName, presetVersion: backup.presetVersion, expiresAt })
    context.created(signature)
    const query = new URLSearchParams({ backupKey: backup.id, expires, signature })
    const downloadUrl = `${originOf(context)}${BACKUP_FILE_PATH}?${query}`
    context.created(downloadUrl)
    return { downloadUrl, expiresAt }
  },
})

interface Signed {
  backupKey: string
  expires: string
  /** Id of the token that asked for the address. */
  maker: string
}

/** Names its maker. An address made while the environment was there ends with it; its backups stay, and have others. */
function backupSignature(vault: Vault, { backupKey, expires, maker }: Signed, isThere: boolean): string {
  const text = `download ${backupKey} ${maker} ${expires} ${isThere ? 'of an environment' : 'of none'}`
  return signatureOf(vault, text, maker)
}

const isThere = async (database: Pick<Database, 'appEnv'>, id: string): Promise<boolean> =>
  (await database.appEnv.count({ where: { id, deletedAt: null } })) > 0

export interface BackupLink {
  backupKey: string
  expires: string
  signature: string
}

/** What an address leads to: the name of the file, and its content as it is read. Throws NOT_FOUND for any other. */
export async function readBackupByLink(
  context: { database: Database; config: Config; vault: Vault },
  link: BackupLink,
  signal: AbortSignal,
) {
  const { database } = context
  const backup = await database.backup.findFirst({
    where: { id: link.backupKey, status: 'AVAILABLE' },
    include: { account: { select: { id: true, dataKey: true } } },
  })
  const gone = () => notFound('backup that this address leads to', link.backupKey)
  if (!backup || (await databaseTime(database)).getTime() >= Number(link.expires) * 1000) throw gone()
  const { accountId, appEnvId } = backup
  const isOpen = async () =>
    isSigned(context.vault, link, await isThere(database, appEnvId)) &&
    makerMay(database, makerOf(link.signature), 'backup:download', { accountId, appEnvId })
  if (!(await isOpen())) throw gone()
  const { account, cliEnvName, createdAt } = backup
  const at = createdAt.toISOString().replaceAll(':', '').slice(0, 17)
  const content = contentOf({ ...context, signal }, account, backup)
  return { name: `${cliEnvName}-${at}.backup`, content: whileOpen(content, isOpen, gone) }
}

const isSigned = (vault: Vault, { signature, ...link }: BackupLink, isThere: boolean): boolean =>
  isSignature(signature, backupSignature(vault, { ...link, maker: makerOf(signature) }, isThere))
