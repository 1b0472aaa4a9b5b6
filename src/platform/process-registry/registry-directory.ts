import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const WORKER = 'worker'

/** Where the processes on one data directory find each other: each keeps a socket there under its own name. */
export interface RegistryDirectory {
  folder: string
  /** The same folder by a short name: that of a socket has at most about 100 bytes, and a data directory may lie deep. */
  alias: string
}

export function openRegistryDirectory(dataDir: string): RegistryDirectory {
  const folder = join(dataDir, 'processes')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return { folder, alias: process.platform === 'linux' ? `/proc/self/fd/${openSync(folder, 'r')}` : folder }
}

/** A name that no other process has had or will have. */
export const newName = (roles: readonly string[]): string =>
  `${roles.includes(WORKER) ? WORKER : 'other'}-${BOOT}-${randomBytes(8).toString('hex')}`

export const isWorker = (name: string): boolean => name.startsWith(`${WORKER}-`)

/** Whether a silent socket of this name proves anything: elsewhere, its process may well be alive. */
export const isOfThisBoot = (name: string): boolean => name.split('-')[1] === BOOT

/** Identifies this machine since its last boot. Containers on one machine agree on it. */
const BOOT = createHash('sha256').update(bootId()).digest('hex').slice(0, 8)

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  } catch {
    return hostname()
  }
}
