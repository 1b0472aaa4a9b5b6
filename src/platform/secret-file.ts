import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The text of a file that holds a secret; null when there is no such file. One that is there and cannot be read must
 * not be taken for missing. Throws for a file that other users of the machine may read or write.
 */
export function readSecretFile(file: string): string | null {
  try {
    const mode = statSync(file).mode & 0o777
    if (mode & 0o077) {
      throw new Error(
        `${file} holds a secret, and its mode ${mode.toString(8).padStart(4, '0')} lets other users read or write it. ` +
          `Berth does not start. Run: chmod 600 ${file}`,
      )
    }
    return readFileSync(file, 'utf8').trim() || null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Two processes may start on one new folder: the first to link its draft wins, and both read that file. It is on the disk
 * with its name before anything is made that needs it, such as a secret sealed with this key.
 */
export function readOrMakeSecretFile(file: string, make: () => string): string {
  const present = readSecretFile(file)
  if (present) return present
  // Not the process id: containers that share the folder may have the same.
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true, flag: 'wx' })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
    flushFolder(dirname(file))
  }
  const written = readSecretFile(file)
  if (!written) throw new Error(`${file} is empty; delete it to have a new one made`)
  return written
}

/** A new name is on the disk only when its folder is. */
export function flushFolder(folder: string): void {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
