import type { BuildLine } from '../logs/build-log-stream.ts'
import { FailureExcerpt } from '../text/failure-excerpt.ts'
import { plainText } from '../text/plain-text.ts'
import type { Mask } from '../text/secret-mask.ts'

/** Number of last lines that are always kept: they say why a build failed. */
const TAIL_LINES = 200

/** What is said of an attempt, not by it. */
const ATTEMPT = /^Attempt \d+ of \d+ (failed|takes over)/

/** Where lines are written. */
interface LineStream {
  /** How many lines of the build are stored already. */
  readonly kept: number
  add(line: BuildLine): void
  close(): Promise<void>
}

/** The attempts of one build. */
interface Attempt {
  number: number
  of: number
  /** What those before it have stored, oldest first. */
  earlier: readonly string[]
}

interface BuildLogOptions {
  stream: LineStream
  attempt: Attempt
  maxLines: number
  /** Of the environment's secrets, which a build may print. */
  mask: Mask
  now: () => Date
}

/**
 * The output of one build, stored line by line while it runs. Of a flood, only the first and the last lines are stored;
 * a line between them gives the number left out. Each attempt continues the log of those before it, and leaves out what
 * they have stored already.
 */
export class BuildLog {
  readonly #options: BuildLogOptions
  /** Of all lines, whether or not they are stored. */
  readonly #excerpt = new FailureExcerpt()
  #tail: BuildLine[] = []
  #dropped = 0
  /** What a repetition would say next, next first; empty once this attempt has said something else. */
  #expected: string[]

  constructor(options: BuildLogOptions) {
    this.#options = options
    this.#expected = options.attempt.earlier.filter((line) => !ATTEMPT.test(line))
  }

  /** Explains the pause after an attempt that could not write why it ended. */
  takeOver(): void {
    const { number, of, earlier } = this.#options.attempt
    const last = earlier.at(-1)
    if (last === undefined || ATTEMPT.test(last)) return
    this.#store(this.#line(`Attempt ${number} of ${of} takes over; what it only repeats is left out`, false))
  }

  masked(text: string): string {
    return this.#options.mask(text)
  }

  write(text: string, { isError = false } = {}): void {
    const line = this.#line(text, isError)
    this.#excerpt.add(line.message)
    if (!this.#repeats(line.message)) this.#store(line)
  }

  /** Writes why the build failed, and which attempt did if others follow. */
  fail(reason: string, message: string, { isRetried }: { isRetried: boolean }): void {
    const { number, of } = this.#options.attempt
    const subject = isRetried ? `Attempt ${number} of ${of}` : 'The build'
    this.write(`${subject} failed (${reason}): ${message}`, { isError: true })
  }

  #line(text: string, isError: boolean): BuildLine {
    const { mask, now } = this.#options
    // A progress bar overwrites itself; only its last state matters.
    const shown = text.trimEnd().split('\r').at(-1) ?? ''
    return { at: now(), isError, message: plainText(shown, mask) }
  }

  #repeats(message: string): boolean {
    if (this.#expected[0] !== message) {
      this.#expected = []
      return false
    }
    this.#expected.shift()
    return true
  }

  #store(line: BuildLine): void {
    const { stream, maxLines } = this.#options
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
