import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Pack, pack } from 'tar-stream'
import { BuildFailure } from '../../domain/build-failure.ts'
import { IgnoreRules, type ReadPath } from './dockerignore.ts'

/**
 * A name that no source has. The engine uses it as the Dockerfile's name, so that the source's own Dockerfile stays
 * unchanged.
 */
export const DOCKERFILE_NAME = '.berth.Dockerfile'

const IGNORE_FILE = '.dockerignore'

const MAX_IGNORE_BYTES = 256 * 1024

/** No image needs the version control's files. */
const ALWAYS_IGNORED = ['.git', DOCKERFILE_NAME]

interface ContextOptions {
  /** Patterns in addition to those of .dockerignore. */
  ignored?: readonly string[]
}

/** The same source gives the same archive byte for byte; the engine's cache depends on it. */
const EPOCH = new Date(0)

/** What the engine builds from: the folder without what its .dockerignore names, and the Dockerfile. */
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
  const written = folder === null ? null : await readIgnoreFile(folder)
  const rules = new IgnoreRules([...ALWAYS_IGNORED, ...ignored, ...(written ?? '').split('\n')])
  if (folder !== null) await writeFolder({ archive, root: folder, rules }, rules.root)
  archive.entry({ name: DOCKERFILE_NAME, mtime: EPOCH }, dockerfile)
  // With this file the classic builder removes our files from the context; BuildKit unpacks archives whole.
  const isOwnWanted = written !== null && !rules.below(rules.root, IGNORE_FILE).isIgnored
  const ours = isOwnWanted ? [DOCKERFILE_NAME] : [DOCKERFILE_NAME, IGNORE_FILE]
  archive.entry({ name: IGNORE_FILE, mtime: EPOCH }, [written ?? '', ...ours, ''].join('\n'))
}

/** Null where there is none. */
async function readIgnoreFile(folder: string): Promise<string | null> {
  const file = join(folder, IGNORE_FILE)
  const found = await lstat(file).catch(() => null)
  if (!found?.isFile()) return null
  if (found.size > MAX_IGNORE_BYTES) throw new BuildFailure('SOURCE_REFUSED', '.dockerignore is too large')
  return readFile(file, 'utf8')
}

interface Packing {
  archive: Pack
  root: string
  rules: IgnoreRules
}

/** Sorted by name. Ignored folders are walked too: an exception may be in them. */
async function writeFolder(packing: Packing, above: ReadPath, below = ''): Promise<void> {
  const { archive, root, rules } = packing
  const entries = await readdir(join(root, below), { withFileTypes: true })
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? name : `${below}/${name}`
    if (path === IGNORE_FILE) continue
    const read = rules.below(above, below === '' ? name : `/${name}`)
    const full = join(root, path)
    const found = await lstat(full)
    if (found.isDirectory()) {
      if (!read.isIgnored) archive.entry({ name: path, type: 'directory', mode: 0o755, mtime: EPOCH })
      if (name !== '.git') await writeFolder(packing, read, path)
    } else if (read.isIgnored) continue
    else if (found.isSymbolicLink()) {
      archive.entry({ name: path, type: 'symlink', linkname: await readlink(full), mtime: EPOCH })
    } else if (found.isFile()) {
      const mode = found.mode & 0o100 ? 0o755 : 0o644
      await pipeline(createReadStream(full), archive.entry({ name: path, size: found.size, mode, mtime: EPOCH }))
    }
  }
}
