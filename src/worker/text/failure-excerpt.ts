import { withoutTrailing } from '../../domain/without-trailing.ts'

/** Of the lines that name an error; the first one is usually the cause of the others. */
const MAX_ERRORS = 5
const LAST_LINES = 10

const LINE_BYTES = 200
/** Together with a sentence before them, they fit into what is stored of a message. */
const MAX_BYTES = 1_700

const ERROR =
  /\b(error|fatal|panic|exception|traceback|failed|failure|cannot|can't|could not|couldn't|unable to|not found|no such file|denied|undefined reference)\b|[a-z](Error|Exception)\b|ERR!|^E: /i

/** A warning, a count of nothing, a file's name, and a builder's announcement of a step, which quotes the command. */
const NO_ERROR =
  /\bwarn(ing)?\b|\b(0|no) (errors?|failures?|failed)\b|error[\w-]*\.\w+$|^Step \d+\/\d+ : |^\[[^\]]+\] [A-Z]+ /i

/** The classic announcement of a step: what failed in the one before did not end the build. */
const STEP = /^Step \d+\/\d+ : /

/** What the builder, and no program, prints between steps. */
const PROGRESS = /^(Removing intermediate container|Removed intermediate container| ---> )/

const isError = (line: string): boolean => ERROR.test(line) && !NO_ERROR.test(line)

/**
 * Collects a program's output, and keeps what explains its failure: the first lines with errors, and the last lines.
 * They are shortened, so secrets have to be masked before.
 */
export class FailureExcerpt {
  #errors: { at: number; text: string }[] = []
  #last: string[] = []
  #count = 0

  add(line: string): void {
    if (line.trim() === '' || PROGRESS.test(line)) return
    const text = shortened(line)
    if (STEP.test(text)) this.#errors = []
    else if (this.#errors.length < MAX_ERRORS && isError(text)) this.#errors.push({ at: this.#count, text })
    this.#count += 1
    this.#last.push(text)
    if (this.#last.length > LAST_LINES) this.#last.shift()
  }

  /** In the order of the output; `…` stands for what is left out between. */
  lines(): string[] {
    const last = lastWithin(this.#last, MAX_BYTES - this.#errors.reduce((sum, { text }) => sum + bytesOf(text), 0))
    const lastFrom = this.#count - last.length
    const errors = this.#errors.filter(({ at }) => at < lastFrom)
    const isAdjacent = errors.at(-1)?.at === lastFrom - 1
    return [...errors.map(({ text }) => text), ...(errors.length > 0 && !isAdjacent ? ['…'] : []), ...last]
  }
}

function shortened(line: string): string {
  const bytes = Buffer.from(line)
  if (bytes.length <= LINE_BYTES) return line
  // A character that was cut through is left out.
  return `${withoutTrailing(bytes.subarray(0, LINE_BYTES).toString(), '\uFFFD')}…`
}

const bytesOf = (line: string): number => Buffer.byteLength(line) + 1

function lastWithin(lines: readonly string[], bytes: number): string[] {
  let left = bytes
  const from = lines.findLastIndex((line) => {
    left -= bytesOf(line)
    return left < 0
  })
  return lines.slice(from + 1)
}
