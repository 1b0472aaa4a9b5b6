import type { BuildLine } from '../logs/build-log-stream.ts'
import { FailureExcerpt } from '../text/failure-excerpt.ts'
import { plainText } from '../text/plain-text.ts'
import type { Mask } from '../text/secret-mask.ts'

/** Number of last lines that are always kept: they say why a build failed. */
const TAIL_LINES = 200

/** Where lines are written. */
interface LineStream {
  /** How many lines of the build are stored already. */
  readonly kept: number
  add(line: BuildLine): void
  close(): Promise<void>
}

interface BuildLogOptions {
  stream: LineStream
  maxLines: number
  /** Of the environment's secrets, which a build may print. */
  mask: Mask
  now: () => Date
}

/**
 * The output of one build, stored line by line while it runs. Of a flood, only the first and the last lines are stored;
 * a line between them gives the number left out. Each attempt continues the log of those before it.
 */
export class BuildLog {
  readonly #options: BuildLogOptions
  /** Of all lines, whether or not they are stored. */
  readonly #excerpt = new FailureExcerpt()
  #tail: BuildLine[] = []
  #dropped = 0

  constructor(options: BuildLogOptions) {
    this.#options = options
  }

  masked(text: string): string {
    return this.#options.mask(text)
  }

  write(text: string, { isError = false } = {}): void {
    const { stream, maxLines, mask, now } = this.#options
    // A progress bar overwrites itself; only its last state matters.
    const shown = text.trimEnd().split('\r').at(-1) ?? ''
    const message = plainText(shown, mask)
    const line = { at: now(), isError, message }
    this.#excerpt.add(message)
    if (stream.kept < maxLines - TAIL_LINES) stream.add(line)
    else this.#keepInTail(line)
  }

  #keepInTail(line: BuildLine): void {
    this.#tail.push(line)
    if (this.#tail.length <= TAIL_LINES) return
    this.#tail.shift()
    this.#dropped += 1
  }

  /** The first lines with errors and the last lines, for the message of a failure. */
  excerpt(): string[] {
    return this.#excerpt.lines()
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
