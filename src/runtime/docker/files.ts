import { posix } from 'node:path'
import { Readable } from 'node:stream'
import type { Container } from 'dockerode'
import { pack } from 'tar-stream'
import type { ContainerFile } from '../sandbox.ts'
import type { Owner } from './volume-owner.ts'

/**
 * The folders of the files, each of which becomes a volume of its container alone: an engine writes into a volume also
 * where the container's root is read-only, and it stays when the container is restarted. An engine fills it with what
 * the image has in that folder.
 */
export const foldersOf = (files: readonly ContainerFile[]): string[] => [
  ...new Set(files.map(({ path }) => posix.dirname(path))),
]

/** Before the container starts. Nobody but its user may read them. */
export async function writeFiles(
  container: Container,
  files: readonly ContainerFile[],
  owner: Owner,
  signal: AbortSignal,
): Promise<void> {
  for (const folder of foldersOf(files)) {
    const archive = pack()
    for (const { path, content } of files) {
      if (posix.dirname(path) !== folder) continue
      archive.entry({ name: posix.basename(path), mode: 0o400, mtime: new Date(), ...owner }, content)
    }
    archive.finalize()
    await container.putArchive(Readable.from(archive), { path: folder, abortSignal: signal })
  }
}
