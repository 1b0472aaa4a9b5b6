import { resolve } from 'node:path'
import type { Config } from '../../../config/config.ts'
import type { BackupStore } from './backup-store.ts'
import { folderStore } from './folder-store.ts'
import { type ObjectStorageLogin, objectStorage } from './object-storage.ts'

export const backupsFolder = ({ BERTH_DATA_DIR }: Config): string => resolve(BERTH_DATA_DIR, 'backups')

/** The data folder, or the object storage of a login. */
export const openStore = async (config: Config, login: ObjectStorageLogin | null): Promise<BackupStore> =>
  login
    ? objectStorage(login, { allowsPrivate: config.BERTH_BACKUP_PRIVATE_HOSTS })
    : folderStore(backupsFolder(config))
