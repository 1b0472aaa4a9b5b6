import { readFileSync, statSync } from 'node:fs'
import { createDurably } from './durable-files.ts'
import { faultInWords } from './file-faults.ts'

/**
 * The text of a file that holds a secret; null when there is no such file, or an empty one. One that is there and cannot
 * be read must not be taken for missing. Throws for a file that other users of the machine may read or write.
 */
export function readSecretFile(file: string): string | null {
  const text = readText(file)
  if (text === null) return null
  const mode = statSync(file).mode & 0o777
  if (mode & 0o077) {
    throw new Error(
      `${file} holds a secret, and its mode ${mode.toString(8).padStart(4, '0')} lets other users read or write it. ` +
        `Berth does not start. Run: chmod 600 ${file}`,
    )
  }
  // What a disk has where a write never arrived.
  if (text.includes('\0')) throw new Error(`${file} is damaged: it holds zero bytes. Restore it from your backup.`)
  return text.trim() || null
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new Error(`${file} cannot be read: ${faultInWords(error) ?? code}. Berth does not start.`)
  }
}

/**
 * Two processes may start on one new folder: the first to make the file wins, and both read it. It is on the disk with
 * its name before anything is made that needs it, such as a secret sealed with this key.
 */
export function readOrMakeSecretFile(file: string, make: () => string): string {
  const present = readSecretFile(file)
  if (present) return present
  createDurably(file, `${make()}\n`)
  const written = readSecretFile(file)
  if (!written) {
    throw new Error(
      `${file} is empty. Berth does not start. Restore it from your backup, or delete it to have a new one made.`,
    )
  }
  return written
}
