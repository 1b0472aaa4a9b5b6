import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupFailed } from '../backup-failed.ts'
import type { BackupStore, Removal, WriteOptions } from './backup-store.ts'

const UNFINISHED = '.part'

/** Files in a folder of this machine. */
export function folderStore(folder: string): BackupStore {
  return {
    async write(file, content, { signal }: WriteOptions) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = join(folder, file + UNFINISHED)
      try {
        await writeWhole(draft, content, signal)
        await rename(draft, join(folder, file))
        await syncFolder(folder)
      } catch (error) {
        await rm(draft, { force: true })
        throw isDiskFull(error) ? new BackupFailed('STORAGE_REFUSED', 'The disk of the backups is full') : error
      }
    },
    async *read(file, signal) {
      try {
        yield* createReadStream(join(folder, file), { signal })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        throw new BackupFailed('BACKUP_MISSING', 'The file of the backup is not in the data folder')
      }
    },
    async remove({ prefix, except }: Removal) {
      for (const name of await namesIn(folder))
        if (name.startsWith(prefix) && name !== except) await rm(join(folder, name), { force: true })
    },
  }
}

/** Names of all files in the folder, the unfinished ones too. */
export const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

async function writeWhole(path: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  await using file: FileHandle = await open(path, 'w', 0o600)
  for await (const chunk of content) {
    signal.throwIfAborted()
    await file.writeFile(chunk)
  }
  signal.throwIfAborted()
  await file.sync()
}

/** Without it, a crash of the machine could lose the new name. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
