import { createWriteStream } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { SourceLimits } from '../limits.ts'
import { countedBy } from './counted-by.ts'
import { assertLinkStaysInside, SourceBudget, safePath } from './entry-rules.ts'
import { assertLinksLeadInside } from './links.ts'

const DIRECTORY_MODE = 0o755

/**
 * Writes an archive's entries below one folder. Links are created last, so that no file can be written through one. A
 * name that occurs twice is refused: it might be a link, then a file written through it.
 */
export class SourceWriter {
  readonly #directory: string
  readonly #budget: SourceBudget
  readonly #seen = new Set<string>()
  readonly #links: { path: string; target: string }[] = []

  constructor(directory: string, limits: SourceLimits) {
    this.#directory = directory
    this.#budget = new SourceBudget(limits)
  }

  async directory(name: string): Promise<void> {
    const path = safePath(name)
    this.#budget.addFile()
    this.#budget.addFoldersAbove(path)
    await mkdir(join(this.#directory, path), { recursive: true, mode: DIRECTORY_MODE })
  }

  async file(name: string, content: NodeJS.ReadableStream, { isExecutable }: { isExecutable: boolean }): Promise<void> {
    const path = this.#claim(name)
    const target = join(this.#directory, path)
    await mkdir(dirname(target), { recursive: true, mode: DIRECTORY_MODE })
    const mode = isExecutable ? 0o755 : 0o644
    await pipeline(content, this.#counted(), createWriteStream(target, { flags: 'wx', mode }))
  }

  link(name: string, target: string): void {
    const path = this.#claim(name)
    assertLinkStaysInside(path, target)
    this.#budget.addBytes(target.length)
    this.#links.push({ path, target })
  }

  async finish(): Promise<void> {
    assertLinksLeadInside(new Map(this.#links.map(({ path, target }) => [path, target])))
    for (const { path, target } of this.#links) {
      await mkdir(dirname(join(this.#directory, path)), { recursive: true, mode: DIRECTORY_MODE })
      await symlink(target, join(this.#directory, path))
    }
  }

  #claim(name: string): string {
    const path = safePath(name)
    this.#budget.addFile()
    if (path === '') throw new BuildFailure('SOURCE_REFUSED', 'The archive holds an entry without a name')
    if (this.#seen.has(path))
      throw new BuildFailure('SOURCE_REFUSED', `The archive holds ${JSON.stringify(path)} twice`)
    this.#seen.add(path)
    this.#budget.addFoldersAbove(path)
    return path
  }

  /** Counts the bytes that really come out, not those that the archive declares. */
  #counted(): Transform {
    return countedBy((bytes) => this.#budget.addBytes(bytes))
  }
}
