import type { BuildLine } from '../logs/build-log-stream.ts'
import { plainText } from '../text/plain-text.ts'

/** Lines at the end that are kept whatever came before: they say why a build failed. */
const TAIL_LINES = 200
const MASK = '***SECRET***'
/** Shorter ones stand in too many places that are none. */
const SHORTEST_SECRET = 6

/** Where lines are kept. */
interface LineStream {
  /** How many lines of the build were kept already. */
  readonly kept: number
  add(line: BuildLine): void
  close(): Promise<void>
}

interface BuildLogOptions {
  stream: LineStream
  maxLines: number
  /** Never shown, even when the build prints them. */
  secrets: readonly string[]
  now: () => Date
}

/**
 * What one build prints, kept line by line while it prints. A flood costs no more than its first lines and its last:
 * what is between them is counted, and the log says how many. Each attempt goes on after what those before it wrote.
 */
export class BuildLog {
  readonly #options: BuildLogOptions
  readonly #secrets: readonly string[]
  /** What was printed last, whether or not it is kept already. */
  #latest: BuildLine[] = []
  #tail: BuildLine[] = []
  #dropped = 0

  constructor(options: BuildLogOptions) {
    this.#options = options
    // Programs print a secret of several lines line by line, and perhaps not from its beginning.
    const pieces = options.secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    this.#secrets = pieces.filter((piece) => piece.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)
  }

  masked(text: string): string {
    return this.#secrets.reduce((line, secret) => line.replaceAll(secret, MASK), text)
  }

  write(text: string, { isError = false } = {}): void {
    const { stream, maxLines, now } = this.#options
    // A progress bar draws over itself; what was there last is enough.
    const shown = text.trimEnd().split('\r').at(-1) ?? ''
    const message = plainText(this.masked(shown))
    const line = { at: now(), isError, message }
    this.#latest.push(line)
    if (this.#latest.length > TAIL_LINES) this.#latest.shift()
    if (stream.kept < maxLines - TAIL_LINES) stream.add(line)
    else this.#keepInTail(line)
  }

  #keepInTail(line: BuildLine): void {
    this.#tail.push(line)
    if (this.#tail.length <= TAIL_LINES) return
    this.#tail.shift()
    this.#dropped += 1
  }

  /** The last lines, for the reason of a failure. */
  last(count: number): string[] {
    return this.#latest.slice(-count).map(({ message }) => message)
  }

  async close(): Promise<void> {
    const { stream, now } = this.#options
    const at = this.#tail[0]?.at ?? now()
    if (this.#dropped > 0) stream.add({ at, isError: true, message: `… ${this.#dropped} lines are left out …` })
    for (const line of this.#tail) stream.add(line)
    this.#tail = []
    this.#dropped = 0
    await stream.close()
  }
}
