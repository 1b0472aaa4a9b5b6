import { createWriteStream } from 'node:fs'
import { chmod, link, lstat, mkdir, symlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { SourceLimits } from '../limits.ts'
import { bytesBelow, bytesOf, textOf } from './byte-names.ts'
import { assertTarget, entryPath, SourceBudget } from './entry-rules.ts'
import { type AbsentEntry, MAX_ABSENT } from './source-tree.ts'

const DIRECTORY_MODE = 0o755
/** Bits that change the user of a program belong to an image, not to a file of this machine. */
const KEPT_BITS = 0o777
/** This process has to read everything again, and to remove it. */
const READ_BIT = 0o400
const FOLDER_BITS = 0o700

const refused = (message: string) => new BuildFailure('SOURCE_REFUSED', message)
const shown = (path: string) => JSON.stringify(textOf(path).slice(0, 120))

/**
 * Writes an archive's entries below one folder. Links are created last, so that no file can be written through one. A
 * name that occurs twice is refused: it might be a link, then a file written through it.
 */
export class SourceWriter {
  readonly #directory: string
  readonly #budget: SourceBudget
  readonly #seen = new Set<string>()
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()
  readonly #links = new Map<string, string>()
  readonly #hardLinks: { path: string; target: string }[] = []
  /** What cannot be written. */
  readonly absentEntries: AbsentEntry[] = []

  constructor(directory: string, limits: SourceLimits) {
    this.#directory = directory
    this.#budget = new SourceBudget(limits)
  }

  async directory(name: string, mode: number): Promise<void> {
    const path = entryPath(name)
    this.#budget.addFile()
    this.#budget.addFoldersAbove(path)
    await this.#makeFolder(path)
    if (path !== '') await chmod(this.#at(path), (mode & KEPT_BITS) | FOLDER_BITS)
  }

  async file(name: string, content: AsyncIterable<Uint8Array>, mode: number): Promise<void> {
    const path = this.#claim(name)
    await this.#makeFolder(parentOf(path))
    await pipeline(content, this.#counted(), createWriteStream(this.#at(path), { flags: 'wx' }))
    await chmod(this.#at(path), (mode & KEPT_BITS) | READ_BIT)
    this.#files.add(path)
  }

  link(name: string, target: string): void {
    const path = this.#claim(name)
    assertTarget(path, target)
    this.#budget.addBytes(target.length)
    this.#links.set(path, target)
  }

  /** To a file, or a link, that the archive holds too. */
  hardLink(name: string, target: string): void {
    this.#hardLinks.push({ path: this.#claim(name), target: entryPath(target) })
  }

  /** An entry that cannot be written, such as a device: the build is refused if it would see it. */
  absent(name: string, reason: string): void {
    const path = this.#claim(name)
    if (this.absentEntries.length === MAX_ABSENT) {
      throw refused(`The archive holds more than ${MAX_ABSENT} entries such as ${shown(path)}, which ${reason}`)
    }
    this.absentEntries.push({ path, reason })
  }

  async finish(): Promise<void> {
    for (const { path, target } of this.#hardLinks) await this.#makeHardLink(path, target)
    // All folders before all links: otherwise one could be made through a link.
    for (const path of this.#links.keys()) await this.#makeFolder(parentOf(path))
    for (const [path, target] of this.#links) await symlink(bytesOf(target), this.#at(path))
  }

  async #makeHardLink(path: string, target: string): Promise<void> {
    const linked = this.#links.get(target)
    if (linked !== undefined) {
      this.#links.set(path, linked)
      return
    }
    if (!this.#files.has(target)) {
      throw refused(`The archive holds a hard link ${shown(path)} to ${shown(target)}, which is no file of it`)
    }
    await this.#makeFolder(parentOf(path))
    // In the context it is a file of its own: a small archive could name the same huge file a million times.
    this.#budget.addBytes((await lstat(this.#at(target))).size)
    await link(this.#at(target), this.#at(path))
    this.#files.add(path)
  }

  #at(path: string): Buffer {
    return bytesBelow(this.#directory, path)
  }

  async #makeFolder(path: string): Promise<void> {
    if (path === '' || this.#folders.has(path)) return
    await mkdir(this.#at(path), { recursive: true, mode: DIRECTORY_MODE })
    this.#folders.add(path)
  }

  #claim(name: string): string {
    const path = entryPath(name)
    this.#budget.addFile()
    if (path === '') throw refused('The archive holds an entry without a name')
    if (this.#seen.has(path)) throw refused(`The archive holds ${shown(path)} twice`)
    this.#seen.add(path)
    this.#budget.addFoldersAbove(path)
    return path
  }

  /** Counts the bytes that really come out, not those that the archive declares. */
  #counted(): Transform {
    return countedBy((bytes) => this.#budget.addBytes(bytes))
  }
}

const parentOf = (path: string): string => {
  const parent = posix.dirname(path)
  return parent === '.' ? '' : parent
}

/** Passes a stream on, and its bytes to a counter, which ends the stream by throwing. */
export const countedBy = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        count(chunk.length)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
  })
