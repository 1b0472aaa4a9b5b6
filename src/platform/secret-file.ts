import { linkSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'

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

/** Two processes may start on one new folder: the first to link its draft wins, and both read that file. */
export function readOrMakeSecretFile(file: string, make: () => string): string {
  const present = readSecretFile(file)
  if (present) return present
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  const written = readSecretFile(file)
  if (!written) throw new Error(`${file} is empty; delete it to have a new one made`)
  return written
}
