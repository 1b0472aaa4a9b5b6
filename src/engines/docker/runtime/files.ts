import { posix } from 'node:path'
import { Readable } from 'node:stream'
import type { Container } from 'dockerode'
import { pack } from 'tar-stream'
import type { ContainerFile } from '../../runtime/container-runtime.ts'
import { statusOf } from '../engine-answers.ts'
import type { Owner } from './volume-owner.ts'

/**
 * The folders of the files. Where the container's root is read-only, or memory covers it, each becomes a volume of this container alone: an
 * engine writes into a volume also there, and fills it with what the image has in that folder. Everywhere else the files
 * are in the container's own layer, which goes with it. Both stay when the container is restarted.
 */
export const foldersOf = (files: readonly ContainerFile[]): string[] => [
  ...new Set(files.map(({ path }) => posix.dirname(path))),
]

/** Before the container starts. Only its user may read them. */
export async function writeFiles(
  container: Container,
  files: readonly ContainerFile[],
  owner: Owner,
  signal: AbortSignal,
): Promise<void> {
  for (const folder of foldersOf(files)) {
    const missing = await missingFolders(container, folder, signal)
    const present = missing[0] === undefined ? folder : posix.dirname(missing[0])
    const archive = pack()
    for (const name of missing)
      archive.entry({ name: posix.relative(present, name), type: 'directory', mode: 0o755, mtime: new Date() })
    for (const { path, content } of files) {
      if (posix.dirname(path) !== folder) continue
      const name = posix.relative(present, path)
      archive.entry({ name, mode: 0o400, mtime: new Date(), ...owner }, content)
    }
    archive.finalize()
    await container.putArchive(Readable.from(archive), { path: present, abortSignal: signal })
  }
}

/** Of a folder and those above it, outermost first: an engine would make them writable for all users. */
async function missingFolders(container: Container, folder: string, signal: AbortSignal): Promise<string[]> {
  if (folder === '/' || (await exists(container, folder, signal))) return []
  return [...(await missingFolders(container, posix.dirname(folder), signal)), folder]
}

const exists = (container: Container, path: string, signal: AbortSignal): Promise<boolean> =>
  container.infoArchive({ path, abortSignal: signal }).then(
    () => true,
    (error: unknown) => {
      if (statusOf(error) === 404) return false
      throw error
    },
  )
