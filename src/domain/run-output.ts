const MAX_OUTPUT_BYTES = 64 * 1024
/** The engine's lines are cut into pieces of this size, or a few bytes less to keep a character whole. */
const PIECE_BYTES = 16 * 1024
const CHARACTER_BYTES = 4

export interface OutputLine {
  stream: 'stdout' | 'stderr'
  nanoseconds: bigint
  message: string
}

/** The last line of standard output that is a JSON object or array, if it is small enough to keep. */
export function outputOf(lines: readonly OutputLine[]): unknown {
  for (const line of wholeLines(lines).reverse()) {
    const text = line.trim()
    if (!/^[[{]/.test(text) || Buffer.byteLength(text) > MAX_OUTPUT_BYTES) continue
    try {
      const value: unknown = JSON.parse(text)
      if (isStorable(value)) return value
    } catch {}
  }
  return undefined
}

/** What jsonb cannot hold is not kept: NUL, and halves of surrogate pairs, which are the only ones written as escapes. */
const isStorable = (value: unknown): boolean => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value))

/** Lines of standard output whose pieces are together again. */
function wholeLines(lines: readonly OutputLine[]): string[] {
  const whole: string[] = []
  let before: OutputLine | null = null
  for (const line of lines) {
    if (line.stream !== 'stdout') continue
    const isPiece = before?.nanoseconds === line.nanoseconds && isCut(before.message)
    if (isPiece) whole.push(`${whole.pop()}${line.message}`)
    else whole.push(line.message)
    before = line
  }
  return whole
}

const isCut = (message: string): boolean => Buffer.byteLength(message) > PIECE_BYTES - CHARACTER_BYTES
