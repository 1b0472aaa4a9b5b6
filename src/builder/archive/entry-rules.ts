import { posix } from 'node:path'
import { BuildFailure } from '../../domain/build-failure.ts'
import { MAX_PATH_LENGTH, megabytes, type SourceLimits } from '../limits.ts'

const refused = (message: string) => new BuildFailure('SOURCE_REFUSED', message)

/** Shortens a name for messages: the archive's author chose it. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 120))

/** The path of an entry below the source's folder. Throws SOURCE_REFUSED for a path that leads outside. */
export function safePath(name: string): string {
  if (name.includes('\0')) throw refused(`The path ${shown(name)} holds a NUL character`)
  // Archives that were created on Windows.
  const path = name.replaceAll('\\', '/')
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refused(`The path ${shown(name)} is absolute`)
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused(`The path ${shown(name)} leads out of the source`)
  const clean = parts.join('/')
  if (clean.length > MAX_PATH_LENGTH) throw refused(`The path ${shown(name)} is too long`)
  return clean
}

/** Linux stores no longer target. The time to normalize one grows with the square of its length. */
const MAX_TARGET_LENGTH = 4095

/** Throws SOURCE_REFUSED for a link that points outside the source: following it would read another tenant's files. */
export function assertLinkStaysInside(path: string, target: string): void {
  if (target.length > MAX_TARGET_LENGTH) {
    throw refused(`The target of the link ${shown(path)} is longer than ${MAX_TARGET_LENGTH} characters`)
  }
  const leadsTo = posix.normalize(posix.join(posix.dirname(path), target))
  if (target.startsWith('/') || target.includes('\0') || leadsTo === '..' || leadsTo.startsWith('../')) {
    throw refused(`The link ${shown(path)} points out of the source, to ${shown(target)}`)
  }
}

/** Counts what a source holds, and refuses it before it writes too much. */
export class SourceBudget {
  readonly #limits: SourceLimits
  readonly #folders = new Set<string>()
  #bytes = 0
  #files = 0

  constructor(limits: SourceLimits) {
    this.#limits = limits
  }

  addFile(): void {
    this.#files += 1
    if (this.#files <= this.#limits.maxFiles) return
    throw new BuildFailure('SOURCE_TOO_LARGE', `The source holds more than ${this.#limits.maxFiles} files`)
  }

  /** Counts the folders above a file, which neither archives nor git have to name: each file may be below 500 new ones. */
  addFoldersAbove(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (this.#folders.has(folder)) return
      this.#folders.add(folder)
      if (this.#folders.size <= this.#limits.maxFiles) continue
      throw new BuildFailure('SOURCE_TOO_LARGE', `The source holds more than ${this.#limits.maxFiles} folders`)
    }
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#limits.maxBytes) return
    throw new BuildFailure('SOURCE_TOO_LARGE', `The source is larger than ${megabytes(this.#limits.maxBytes)}`)
  }
}
