// How a file that must last is written: a draft beside it, the draft’s content to the disk, the draft to its name, the
// name to the disk. After a power cut there is the old file or the new one, whole, and never one that was reported and is
// gone. Which files must last, and which can be made again, is in docs/operating.md.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Not with the process id: containers that share a folder may have the same. */
export const draftOf = (file: string): string => `${file}.${randomUUID()}`

/** For text that is short, where the caller can wait; the file has mode 0600 unless another is given. */
export function writeDurably(file: string, text: string, mode = 0o600): void {
  const draft = draftOf(file)
  try {
    writeDraftSync(draft, text, mode)
    moveIntoPlaceSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** The same if there is no such file yet; of several processes the first one wins. */
export function createDurably(file: string, text: string): void {
  const draft = draftOf(file)
  try {
    writeDraftSync(draft, text, 0o600)
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  // Also where another process has made it: the file is used at once, and its name may be in memory only.
  syncFolder(dirname(file))
}

function writeDraftSync(draft: string, text: string, mode: number): void {
  const opened = openSync(draft, 'wx', mode)
  try {
    // Whatever the umask is.
    fchmodSync(opened, mode)
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** Gives a draft that is on the disk its name: a file, or a folder with everything in it. */
export function moveIntoPlaceSync(draft: string, file: string): void {
  renameSync(draft, file)
  syncFolder(dirname(file))
}

/** Writes content of any length into a draft, and onto the disk; `moveIntoPlace` gives it its name. */
export async function writeDraft(draft: string, content: string | AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(draft, 'w', 0o600)
  if (typeof content === 'string') await file.writeFile(content)
  else for await (const chunk of content) await file.writeFile(chunk)
  await file.sync()
}

export async function moveIntoPlace(draft: string, file: string): Promise<void> {
  await rename(draft, file)
  await using folder = await openFolder(dirname(file))
  await folder?.sync().catch(allowUnsyncable)
}

/** Makes a folder, and those above it that are missing, so that what is written durably into it is found again. */
export function makeFolder(path: string): void {
  if (isFolder(path)) return
  // The recursive mkdir of Node.js never returns below a folder that takes no others, such as /proc.
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error
  }
  syncFolder(dirname(path))
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** A new name is on the disk only when its folder is. */
export function syncFolder(folder: string): void {
  let opened: number | undefined
  try {
    opened = openSync(folder, 'r')
    fsyncSync(opened)
  } catch (error) {
    allowUnsyncable(error)
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

const openFolder = (folder: string) =>
  open(folder, 'r').catch((error: unknown) => {
    allowUnsyncable(error)
    return null
  })

/** As PostgreSQL does: not every system can open or sync a folder, and there it keeps names by other means. */
const UNSYNCABLE = new Set(['EACCES', 'EISDIR', 'EPERM', 'EBADF', 'EINVAL', 'ENOTSUP'])

function allowUnsyncable(error: unknown): void {
  if (!UNSYNCABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
}
