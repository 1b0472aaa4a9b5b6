import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from './config.ts'
import { newSecret } from './services/token/secret.ts'

/** What a Berth keeps beside its database, under BERTH_DATA_DIR. */
export interface DataDir {
  path: string
  /** 64 hexadecimal digits. */
  masterKey: string
  adminToken: string
  /** Where the admin token can be read; null when the environment gave it. */
  adminTokenFile: string | null
}

/** Opens the folder, and makes in it what is missing. Files that hold secrets have mode 0600. */
export function openDataDir(config: Config): DataDir {
  const path = resolve(config.BERTH_DATA_DIR)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const adminTokenFile = join(path, 'admin-token')
  return {
    path,
    masterKey: config.BERTH_MASTER_KEY ?? readOrMake(join(path, 'master-key'), () => randomBytes(32).toString('hex')),
    adminToken: config.BERTH_ADMIN_TOKEN ?? readOrMake(adminTokenFile, () => newSecret('USER')),
    adminTokenFile: config.BERTH_ADMIN_TOKEN ? null : adminTokenFile,
  }
}

/** Two processes may start on one new folder: the first to link its draft into place wins, and both read that. */
function readOrMake(file: string, make: () => string): string {
  const present = read(file)
  if (present) return present
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${make()}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  const made = read(file)
  if (!made) throw new Error(`${file} is empty; delete it to have a new one made`)
  return made
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch {
    return null
  }
}
