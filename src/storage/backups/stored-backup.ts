import type { Config } from '../../config/config.ts'
import type { Database } from '../database/client.ts'
import type { Backup, WalPiece } from '../database/generated/prisma/client.ts'
import type { Vault } from '../secrets/vault.ts'
import { BackupFailed } from './backup-failed.ts'
import { readBackup } from './backup-stream.ts'
import type { BackupStore } from './stores/backup-store.ts'
import type { ObjectStorageLogin } from './stores/object-storage.ts'
import { openStore } from './stores/open-store.ts'

interface StoreContext {
  database: Database
  vault: Vault
  config: Config
}

/** Where the files of a backup are. */
export async function storeOf(
  { database, vault, config }: StoreContext,
  { accountId, storageCredentialId }: Pick<Backup, 'accountId' | 'storageCredentialId'>,
): Promise<BackupStore> {
  if (storageCredentialId === null) return openStore(config, null)
  const credential = await database.credential.findFirst({
    where: { id: storageCredentialId, accountId, type: 'OBJECT_STORAGE' },
    include: { account: true },
  })
  if (!credential)
    throw new BackupFailed('STORAGE_REFUSED', `The credential ${storageCredentialId} of the object storage is deleted`)
  const login = vault.forAccount(credential.account).openCredential(credential.id, credential.sealedData)
  return openStore(config, login as ObjectStorageLogin)
}

/** A piece of a log, decrypted as it is read. */
export async function* pieceContent(
  context: StoreContext & { signal: AbortSignal },
  account: { id: string; dataKey: string },
  place: Pick<Backup, 'accountId' | 'storageCredentialId' | 'presetVersion'>,
  { id, file, sealedKey }: WalPiece,
): AsyncGenerator<Uint8Array> {
  if (sealedKey === null) throw new BackupFailed('BACKUP_MISSING', `The piece ${id} of the log was never whole`)
  const store = await storeOf(context, place)
  const key = context.vault.forAccount(account).openBackupKey(id, sealedKey)
  const header = { backupId: id, presetVersion: place.presetVersion }
  yield* readBackup({ store, file, header, key, signal: context.signal })
}

/** The content of a whole backup, decrypted as it is read. */
export async function* contentOf(
  context: StoreContext & { signal: AbortSignal },
  account: { id: string; dataKey: string },
  { id, presetVersion, file, sealedKey, ...backup }: Backup,
): AsyncGenerator<Uint8Array> {
  if (file === null || sealedKey === null) throw new BackupFailed('BACKUP_MISSING', `The backup ${id} was never whole`)
  const store = await storeOf(context, backup)
  const key = context.vault.forAccount(account).openBackupKey(id, sealedKey)
  yield* readBackup({ store, file, header: { backupId: id, presetVersion }, key, signal: context.signal })
}
