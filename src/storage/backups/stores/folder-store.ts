import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, moveIntoPlace, writeDraft } from '../../files/durable-files.ts'
import { isDiskFull } from '../../files/file-faults.ts'
import { BackupFailed } from '../backup-failed.ts'
import type { BackupStore, Removal, WriteOptions } from './backup-store.ts'

const UNFINISHED = '.part'

/** Files in a folder of this machine. */
export function folderStore(folder: string): BackupStore {
  return {
    async write(file, content, { signal }: WriteOptions) {
      makeFolder(folder)
      const draft = join(folder, file + UNFINISHED)
      try {
        await writeDraft(draft, until(signal, content))
        await moveIntoPlace(draft, join(folder, file))
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

async function* until(signal: AbortSignal, content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of content) {
    signal.throwIfAborted()
    yield chunk
  }
  signal.throwIfAborted()
}
