import { BuildFailure } from '../../domain/build-failure.ts'
import { MAX_PATH_LENGTH, megabytes, type SourceLimits } from '../limits.ts'
import { textOf } from './byte-names.ts'

const refused = (message: string) => new BuildFailure('SOURCE_REFUSED', message)

/** Shortens a name for messages: the archive's author chose it. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 120))

/**
 * A path that a setting names, below the source's folder, also as people on Windows write it. Throws SOURCE_REFUSED for one
 * that leads outside.
 */
export function safePath(name: string): string {
  if (/^[A-Za-z]:/.test(name)) throw refused(`The path ${shown(name)} is absolute`)
  return pathBelow(name.replaceAll('\\', '/'), shown(name))
}

/** The path of an entry of an archive or a repository, as bytes (byte-names.ts). Throws SOURCE_REFUSED as above. */
export const entryPath = (name: string): string => pathBelow(name, shown(textOf(name)))

function pathBelow(name: string, called: string): string {
  if (name.includes('\0')) throw refused(`The path ${called} holds a NUL character`)
  if (name.startsWith('/')) throw refused(`The path ${called} is absolute`)
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused(`The path ${called} leads out of the source`)
  const clean = parts.join('/')
  if (clean.length > 4 * MAX_PATH_LENGTH || textOf(clean).length > MAX_PATH_LENGTH)
    throw refused(`The path ${called} is too long`)
  return clean
}

/** Linux stores no longer target. */
export const MAX_TARGET_BYTES = 4095

/**
 * Throws SOURCE_REFUSED for a link that no file system holds. Where it leads does not matter: it is kept as a link, and
 * nothing here follows it.
 */
export function assertTarget(path: string, target: string): void {
  if (target.length > MAX_TARGET_BYTES) {
    throw refused(`The target of the link ${shown(textOf(path))} is longer than ${MAX_TARGET_BYTES} bytes`)
  }
  if (target === '' || target.includes('\0')) throw refused(`The link ${shown(textOf(path))} has no target`)
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

  get used(): { files: number; bytes: number } {
    return { files: this.#files, bytes: this.#bytes }
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
