import type { Database } from '../database/client.ts'
import { plainText } from './plain-text.ts'

const FLUSH_MS = 300
/** Lines at the end that are kept whatever came before: they say why a build failed. */
const TAIL_LINES = 200
const MASK = '***SECRET***'
/** Shorter ones stand in too many places that are none. */
const SHORTEST_SECRET = 6

interface Line {
  sequence: number
  message: string
  at: Date
}

interface BuildLogOptions {
  database: Database
  contentId: string
  maxLines: number
  /** Never shown, even when the build prints them. */
  secrets: readonly string[]
  now: () => Date
}

/**
 * What one build prints, kept line by line while it prints. A flood costs no more than its first lines and its last:
 * what is between them is counted, and the log says how many.
 */
export class BuildLog {
  readonly #options: BuildLogOptions
  readonly #secrets: readonly string[]
  #next = 1
  #pending: Line[] = []
  #recent: Line[] = []
  #tail: { message: string; at: Date }[] = []
  #dropped = 0
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(options: BuildLogOptions, next: number) {
    this.#options = options
    this.#next = next
    this.#secrets = options.secrets.filter((secret) => secret.length >= SHORTEST_SECRET)
  }

  /** Goes on after what a worker before this one has written. */
  static async open(options: BuildLogOptions): Promise<BuildLog> {
    const { contentId } = options
    const last = await options.database.buildLogLine.aggregate({ where: { contentId }, _max: { sequence: true } })
    return new BuildLog(options, (last._max.sequence ?? 0) + 1)
  }

  write(text: string): void {
    // A progress bar draws over itself; what was there last is enough.
    const shown = text.trimEnd().split('\r').at(-1) ?? ''
    const message = plainText(this.#secrets.reduce((line, secret) => line.replaceAll(secret, MASK), shown))
    const at = this.#options.now()
    if (this.#next <= this.#options.maxLines - TAIL_LINES) {
      this.#pending.push({ sequence: this.#next++, message, at })
      this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
      return
    }
    this.#tail.push({ message, at })
    if (this.#tail.length <= TAIL_LINES) return
    this.#tail.shift()
    this.#dropped += 1
  }

  /** The last lines that say something, for the reason of a failure. */
  last(count: number): string[] {
    const known = [...this.#recent, ...this.#pending, ...this.#tail]
    return known.slice(-count).map(({ message }) => message)
  }

  async close(): Promise<void> {
    if (this.#dropped > 0) {
      const { at } = this.#tail[0] ?? { at: this.#options.now() }
      this.#pending.push({ sequence: this.#next++, message: `… ${this.#dropped} lines are left out …`, at })
    }
    for (const { message, at } of this.#tail) this.#pending.push({ sequence: this.#next++, message, at })
    this.#tail = []
    this.#dropped = 0
    this.#flush()
    await this.#writing
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const lines = this.#pending
    this.#pending = []
    if (lines.length === 0) return
    this.#recent = [...this.#recent, ...lines].slice(-TAIL_LINES)
    const { database, contentId } = this.#options
    const data = lines.map((line) => ({ contentId, ...line }))
    // One that could not be written is missing from the log, and is no reason to fail a build.
    this.#writing = this.#writing
      .then(() => database.buildLogLine.createMany({ data, skipDuplicates: true }))
      .catch(() => {})
  }
}
