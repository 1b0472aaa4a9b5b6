import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Database } from '../storage/database/client.ts'
import { syncFolder } from '../storage/files/durable-files.ts'
import { readOrMakeSecretFile, readSecretFile } from '../storage/files/secret-file.ts'
import { openFingerprintKey } from '../storage/secrets/fingerprint-key.ts'
import { type Key, keyFromHex } from '../storage/secrets/keys.ts'
import { createVault, type Vault } from '../storage/secrets/vault.ts'

const HEX = /^[0-9a-f]{64}$/

export const masterKeyFile = (dataDir: string): string => join(dataDir, 'master-key')

export const newMasterKey = (): string => randomBytes(32).toString('hex')

/** The key in a file; null when there is no such file. */
export function readKeyFile(file: string): Key | null {
  const text = readSecretFile(file)
  if (text !== null && !HEX.test(text))
    throw new Error(
      `${file} must hold 64 hexadecimal digits (32 bytes). Berth does not start. Restore it from your backup.`,
    )
  return text === null ? null : keyFromHex(text)
}

/**
 * The master key, from BERTH_MASTER_KEY or the data directory. One is made for a new installation only: in the place of
 * a lost one, a new key would open nothing and hide the loss.
 */
export async function openMasterKey(config: Config, dataDir: string, database: Database): Promise<Key> {
  if (config.BERTH_MASTER_KEY) return keyFromHex(config.BERTH_MASTER_KEY)
  const file = masterKeyFile(dataDir)
  const present = readKeyFile(file)
  if (present) {
    // Another process may have made it just now, and secrets are sealed with it next.
    syncFolder(dataDir)
    return present
  }
  const installation = await database.installation.findFirst()
  if (!installation) return keyFromHex(readOrMakeSecretFile(file, newMasterKey))
  // Another process may have made the installation since the file was looked for: its key was there first.
  const made = readKeyFile(file)
  if (made) return made
  const isEmpty = existsSync(file) ? 'is empty' : 'is missing'
  throw new Error(
    `The master key ${installation.masterKeyId} of this installation is missing: ${file} ${isEmpty}, and BERTH_MASTER_KEY is not set. ` +
      'Berth does not start, and makes no new key, because a new one could not open any secret. ' +
      `Restore ${file} from your backup (mode 0600), or set BERTH_MASTER_KEY.`,
  )
}

/** The vault of an opened installation. */
export async function openVault(database: Database, masterKey: Key): Promise<Vault> {
  const { fingerprintKey } = await database.installation.findFirstOrThrow()
  return createVault(masterKey, openFingerprintKey(masterKey, fingerprintKey))
}
