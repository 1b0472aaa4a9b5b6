import { createReadStream, type Stats } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join, posix, relative } from 'node:path'
import { Readable } from 'node:stream'
import { BuildFailure } from '../../domain/build-failure.ts'
import { IgnoreRules, type ReadPath } from '../../domain/ignore-rules.ts'
import { bytesBelow, bytesOf, nameOf, textOf } from '../archive/byte-names.ts'
import { safePath } from '../archive/entry-rules.ts'
import type { AbsentEntry } from '../archive/source-tree.ts'
import { END, headerOf, padding } from './tar-headers.ts'

/**
 * A name that no source has. The engine uses it as the Dockerfile's name, so that the source's own Dockerfile stays
 * unchanged.
 */
export const DOCKERFILE_NAME = '.berth.Dockerfile'

const IGNORE_FILE = '.dockerignore'

const MAX_IGNORE_BYTES = 256 * 1024

/** No image needs the version control's files. */
const ALWAYS_IGNORED = ['.git', DOCKERFILE_NAME]

export interface ContextOptions {
  /** Patterns in addition to those of the ignore file. */
  ignored?: readonly string[]
  /** The Dockerfile's path in the source, where it comes from there: `<path>.dockerignore` goes before .dockerignore. */
  dockerfilePath?: string | null
  /** The source's folder, if the context is a folder in it, and what is not there. */
  tree?: string
  absent?: readonly AbsentEntry[]
  /** Files and folders as git has them: for every user to read, and programs to run. */
  hasPlainModes?: boolean
  /** For a builder that gets the Dockerfile in the context, and removes what a .dockerignore names. */
  isForEngine?: boolean
}

/** What the builder builds from: the folder without what its ignore file names, and the Dockerfile. */
export const packContext = (folder: string | null, dockerfile: string, options: ContextOptions = {}): Readable =>
  Readable.from(packed(folder, dockerfile, options), { objectMode: false })

async function* packed(folder: string | null, dockerfile: string, options: ContextOptions) {
  const { ignored = [], isForEngine = true } = options
  const written = folder === null ? null : await findIgnoreFile(folder, options)
  const rules = new IgnoreRules([...ALWAYS_IGNORED, ...ignored, ...(written?.text ?? '').split('\n')])
  const packing = folder === null ? null : { ...options, root: folder, rules, isForEngine }
  if (packing) assertNothingAbsent(packing)
  if (packing) yield* packFolder(packing, rules.root)
  yield* packText(DOCKERFILE_NAME, dockerfile)
  if (isForEngine) {
    // With this file the classic builder removes ours from the context; BuildKit unpacks archives whole.
    const own = written?.name === IGNORE_FILE ? written.text : await readIgnoreFile(folder, IGNORE_FILE)
    const isOwnWanted = own !== null && !rules.below(rules.root, IGNORE_FILE).isIgnored
    const ours = isOwnWanted ? [DOCKERFILE_NAME] : [DOCKERFILE_NAME, IGNORE_FILE]
    yield* packText(IGNORE_FILE, [isOwnWanted ? own : '', ...ours, ''].join('\n'))
  }
  yield END
}

interface IgnoreFile {
  name: string
  text: string
}

/** The Dockerfile's own one goes first, and alone. */
async function findIgnoreFile(folder: string, { dockerfilePath, tree }: ContextOptions): Promise<IgnoreFile | null> {
  if (dockerfilePath) {
    const name = `${safePath(dockerfilePath)}${IGNORE_FILE}`
    for (const above of [folder, tree ?? folder]) {
      // Beside the Dockerfile that is used: the context folder's own, else that of the source's root.
      if (!(await lstat(join(above, safePath(dockerfilePath))).catch(() => null))) continue
      const text = await readIgnoreFile(above, name)
      if (text !== null) return { name, text }
      break
    }
  }
  const text = await readIgnoreFile(folder, IGNORE_FILE)
  return text === null ? null : { name: IGNORE_FILE, text }
}

/** Null where there is none. */
async function readIgnoreFile(folder: string | null, name: string): Promise<string | null> {
  if (folder === null) return null
  const file = join(folder, name)
  const found = await lstat(file).catch(() => null)
  if (!found?.isFile()) return null
  if (found.size > MAX_IGNORE_BYTES) throw new BuildFailure('SOURCE_REFUSED', `${name} is too large`)
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
}

interface Packing extends ContextOptions {
  root: string
  rules: IgnoreRules
}

/** Throws SOURCE_REFUSED for what the build would look for in vain. */
function assertNothingAbsent({ rules, root, tree = root, absent = [] }: Packing): void {
  const above = nameOf(Buffer.from(relative(tree, root)))
  for (const { path, reason } of absent) {
    const isInside = above === '' || path.startsWith(`${above}/`)
    const below = isInside ? path.slice(above === '' ? 0 : above.length + 1) : ''
    if (below !== '' && !rules.ignores(textOf(below))) throw unbuildable(below, reason)
  }
}

const unbuildable = (path: string, reason: string) =>
  new BuildFailure(
    'SOURCE_REFUSED',
    `${JSON.stringify(textOf(path).slice(0, 200))} ${reason}. If the build does not need it, name it in ${IGNORE_FILE}`,
  )

/** Sorted by name. Ignored folders are walked too: an exception may be in them. */
async function* packFolder(packing: Packing, above: ReadPath, below = ''): AsyncGenerator<Uint8Array> {
  const { root, rules, hasPlainModes = false, isForEngine } = packing
  const names = await readdir(below === '' ? root : bytesBelow(root, below), { encoding: 'buffer' })
  for (const bytes of names.sort(Buffer.compare)) {
    const name = nameOf(bytes)
    const path = below === '' ? name : `${below}/${name}`
    // The engine's is written last, with further lines.
    if (isForEngine && path === IGNORE_FILE) continue
    const text = textOf(name)
    const read = rules.below(above, below === '' ? text : `/${text}`)
    const full = bytesBelow(root, path)
    const found = await lstat(full)
    if (found.isDirectory()) {
      const mode = hasPlainModes ? 0o755 : found.mode & 0o777
      if (!read.isIgnored) yield headerOf({ name: path, type: 'folder', mode })
      if (name !== '.git') yield* packFolder(packing, read, path)
    } else if (read.isIgnored) continue
    else if (found.isSymbolicLink()) {
      const target = nameOf(await readlink(full, { encoding: 'buffer' }))
      if (isForEngine) assertLinkForEngine(path, target)
      yield headerOf({ name: path, type: 'link', mode: 0o777, target })
    } else if (found.isFile()) yield* packFile({ path, full, found, hasPlainModes })
    else throw unbuildable(path, 'is neither a file, a folder nor a link')
  }
}

interface PackedFile {
  path: string
  full: Buffer
  found: Stats
  hasPlainModes: boolean
}

async function* packFile({ path, full, found, hasPlainModes }: PackedFile): AsyncGenerator<Uint8Array> {
  const { size } = found
  if (size <= MAX_POINTER_BYTES && POINTER.test(await readFile(full, 'latin1'))) throw unbuildable(path, LFS)
  const plain = found.mode & 0o100 ? 0o755 : 0o644
  yield headerOf({ name: path, type: 'file', mode: hasPlainModes ? plain : found.mode & 0o777, size })
  let left = size
  // To the size in the header, even if the file has grown since.
  if (size > 0) {
    for await (const chunk of createReadStream(full, { end: size - 1 }) as AsyncIterable<Buffer>) {
      left -= chunk.length
      yield chunk
    }
  }
  if (left !== 0) throw new Error('A file of the source became shorter while it was packed')
  if (size > 0) yield padding(size)
}

/** What Git LFS leaves in place of a file, exactly as its specification has it. */
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n$/
const MAX_POINTER_BYTES = 1024
const LFS =
  'is a pointer of Git LFS, and its content is not fetched: commit the file itself, upload the source as an archive with it, or fetch it in the Dockerfile'

function* packText(name: string, text: string): Generator<Uint8Array> {
  const content = Buffer.from(text)
  yield headerOf({ name, type: 'file', mode: 0o644, size: content.length })
  yield content
  yield padding(content.length)
}

/** The engine's own builder ends with an error of its own at such a link, wherever it leads in the image. */
function assertLinkForEngine(path: string, target: string): void {
  const leadsTo = posix.join(posix.dirname(path), target)
  if (target.startsWith('/') || (leadsTo !== '..' && !leadsTo.startsWith('../'))) return
  const to = JSON.stringify(bytesOf(target).toString('utf8').slice(0, 120))
  throw unbuildable(path, `leads out of the build context, to ${to}, which the engine’s own builder refuses`)
}
