import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { default as dockerignoreModule } from '@balena/dockerignore'
import { type Pack, pack } from 'tar-stream'
import { BuildFailure } from '../domain/build-failure.ts'

/** A name that no source has: the engine is told it, so that a Dockerfile of the source's stays what it is. */
export const DOCKERFILE_NAME = '.berth.Dockerfile'

// The package is CommonJS, and its types describe another.
const dockerignore = dockerignoreModule as unknown as typeof dockerignoreModule.default

const MAX_IGNORE_BYTES = 256 * 1024

/** Version control has no business in an image. */
const ALWAYS_IGNORED = ['.git', DOCKERFILE_NAME]

interface ContextOptions {
  /** Patterns besides those of .dockerignore. */
  ignored?: readonly string[]
}

/** The same source gives the same archive to the byte, on which the engine's cache depends. */
const EPOCH = new Date(0)

/** What the engine builds from: the folder, less what its .dockerignore names, and the Dockerfile. */
export function packContext(folder: string | null, dockerfile: string, options: ContextOptions = {}): Readable {
  const archive = pack()
  void write(archive, folder, dockerfile, options).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error as Error),
  )
  return Readable.from(archive)
}

async function write(
  archive: Pack,
  folder: string | null,
  dockerfile: string,
  { ignored = [] }: ContextOptions,
): Promise<void> {
  if (folder !== null) await writeFolder(archive, folder, await ignoring(folder, ignored))
  archive.entry({ name: DOCKERFILE_NAME, mtime: EPOCH }, dockerfile)
}

type IsWanted = (path: string) => boolean

async function ignoring(folder: string, ignored: readonly string[]): Promise<IsWanted> {
  const rules = dockerignore({ ignorecase: false }).add([...ALWAYS_IGNORED, ...ignored])
  const file = join(folder, '.dockerignore')
  const found = await lstat(file).catch(() => null)
  if (found?.isFile()) {
    if (found.size > MAX_IGNORE_BYTES) throw new BuildFailure('SOURCE_REFUSED', '.dockerignore is too large')
    rules.add(await readFile(file, 'utf8'))
  }
  return (path) => !rules.ignores(path)
}

/** In the order of names. Folders that are ignored are gone through all the same: an exception may be in them. */
async function writeFolder(archive: Pack, root: string, isWanted: IsWanted, below = ''): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? name : `${below}/${name}`
    const full = join(root, path)
    const found = await lstat(full)
    if (found.isDirectory()) {
      if (isWanted(path)) archive.entry({ name: path, type: 'directory', mode: 0o755, mtime: EPOCH })
      if (name !== '.git') await writeFolder(archive, root, isWanted, path)
    } else if (!isWanted(path)) continue
    else if (found.isSymbolicLink()) {
      archive.entry({ name: path, type: 'symlink', linkname: await readlink(full), mtime: EPOCH })
    } else if (found.isFile()) {
      const mode = found.mode & 0o100 ? 0o755 : 0o644
      await pipeline(createReadStream(full), archive.entry({ name: path, size: found.size, mode, mtime: EPOCH }))
    }
  }
}
