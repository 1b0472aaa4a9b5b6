import type { LogLine } from '../../runtime/container-runtime.ts'

export const MAX_LINE_BYTES = 16 * 1024

/** Each frame of the engine's multiplexed stream: one byte of stream number, three of padding, four of length. */
const HEADER_BYTES = 8
const NEWLINE = 0x0a

/** Of `2026-11-21T07:14:42`. */
const SECONDS_LENGTH = 19

type StreamName = LogLine['stream']

interface Unfinished {
  nanoseconds: bigint
  parts: Buffer[]
  bytes: number
}

/**
 * Assembles lines from the engine's chunks, which end anywhere, and its frames, which hold at most 16 KiB of a line,
 * each with its own timestamp. A longer line comes out in pieces of at most 16 KiB with the timestamp of its beginning,
 * cut between characters, so that nothing is lost. What a run says last, without a newline, is a line of its own.
 */
export class LogLines {
  /** Of a frame that has not come whole. */
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** So many are needed to go on. */
  #neededBytes = HEADER_BYTES
  readonly #unfinished = new Map<StreamName, Unfinished>()

  /** The lines that this chunk completes. */
  read(chunk: Buffer): LogLine[] {
    const lines: LogLine[] = []
    this.#pending.push(chunk)
    this.#pendingBytes += chunk.length
    // Put together once it is whole: for each chunk, all of a frame would be copied again and again.
    if (this.#pendingBytes < this.#neededBytes) return lines
    let rest = this.#pending.length === 1 ? chunk : Buffer.concat(this.#pending)
    let end = frameBytes(rest)
    for (; rest.length >= end; end = frameBytes(rest)) {
      lines.push(...this.#readFrame(rest[0] === 2 ? 'stderr' : 'stdout', rest.subarray(HEADER_BYTES, end)))
      rest = rest.subarray(end)
    }
    this.#neededBytes = end
    this.#pending = rest.length === 0 ? [] : [rest]
    this.#pendingBytes = rest.length
    return lines
  }

  /** The rest when the stream ends without a newline. */
  end(): LogLine[] {
    const lines = [...this.#unfinished].map(([stream, line]) => finished(stream, line))
    this.#unfinished.clear()
    return lines
  }

  #readFrame(stream: StreamName, frame: Buffer): LogLine[] {
    const space = frame.indexOf(0x20)
    const hasNewline = frame.at(-1) === NEWLINE
    const text = frame.subarray(space + 1, hasNewline ? -1 : undefined)
    // Of a line that goes on, the engine hands on as much as it holds: less is what a run said last.
    const ends = hasNewline || text.length < MAX_LINE_BYTES
    const line = this.#unfinished.get(stream) ?? { nanoseconds: nanosecondsOf(frame, space), parts: [], bytes: 0 }
    line.parts.push(text)
    line.bytes += text.length
    this.#unfinished.set(stream, line)
    const lines: LogLine[] = []
    while (line.bytes > MAX_LINE_BYTES) lines.push(cut(stream, line))
    if (!ends) return lines
    this.#unfinished.delete(stream)
    return [...lines, finished(stream, line)]
  }
}

/** Of the frame that begins here, as far as its header has come. */
const frameBytes = (rest: Buffer): number => HEADER_BYTES + (rest.length < HEADER_BYTES ? 0 : rest.readUInt32BE(4))

/** `2026-11-21T07:14:42.123456789Z`, with a fraction of up to nine digits. */
function nanosecondsOf(frame: Buffer, space: number): bigint {
  const text = frame.toString('latin1', 0, space)
  const fraction = text.slice(SECONDS_LENGTH + 1, -1).padEnd(9, '0')
  return BigInt(Date.parse(`${text.slice(0, SECONDS_LENGTH)}Z`)) * 1_000_000n + BigInt(fraction)
}

const lineOf = (stream: StreamName, nanoseconds: bigint, message: string): LogLine => ({
  timestamp: new Date(Number(nanoseconds / 1_000_000n)),
  nanoseconds,
  stream,
  message,
})

/** Cuts the first 16 KiB off the line, or a few bytes less to keep a UTF-8 character whole. */
function cut(stream: StreamName, line: Unfinished): LogLine {
  const whole = Buffer.concat(line.parts)
  let end = MAX_LINE_BYTES
  while (end > MAX_LINE_BYTES - 4 && isContinuation(whole[end])) end -= 1
  line.parts = [whole.subarray(end)]
  line.bytes = whole.length - end
  return { ...lineOf(stream, line.nanoseconds, whole.toString('utf8', 0, end)), isPartial: true }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

const finished = (stream: StreamName, { nanoseconds, parts }: Unfinished): LogLine =>
  lineOf(stream, nanoseconds, Buffer.concat(parts).toString('utf8').replace(/\r$/, ''))
