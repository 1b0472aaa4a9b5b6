import { MalformedMessage, readHeaderLine } from '../header-lines.ts'

const NOTHING = Buffer.alloc(0)
const CR = 0x0d
const LF = 0x0a
const SIZE_LINE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i
const MAX_LINE_BYTES = 16_384
const MAX_TRAILERS = 100
/** Of all trailers, and of all extensions of chunks, which are dropped. */
const MAX_EXTRA_BYTES = 32_768
// A fraction of a millisecond: between tiny chunks, others must have their turn.
const LINES_A_PIECE = 512

export interface DecodedChunks {
  /** The payload, moved to the start of the bytes it came in. */
  payload: Buffer
  /** What follows the end of the body; null while the body goes on. */
  rest: Buffer | null
  /** What is to be decoded in a later turn of the event loop, because these chunks are many. */
  undecoded: Buffer
}

/**
 * Takes chunked bytes apart (RFC 9112 §7.1), whatever pieces they arrive in. Strict, because the other end is
 * a tenant's container: a bare line feed or a size that is not plain hexadecimal is refused.
 */
export class ChunkedDecoder {
  /** Name, value, name, value…; complete when the body is. */
  readonly trailers: string[] = []
  private expecting: 'size' | 'data' | 'end of data' | 'trailer' = 'size'
  private remaining = 0
  private line = ''
  private extraBytes = 0

  decode(bytes: Buffer): DecodedChunks {
    let position = 0
    let kept = 0
    let lines = 0
    while (position < bytes.length && lines < LINES_A_PIECE) {
      if (this.expecting === 'data') {
        const taken = Math.min(this.remaining, bytes.length - position)
        if (kept !== position) bytes.copyWithin(kept, position, position + taken)
        kept += taken
        position += taken
        this.remaining -= taken
        if (this.remaining === 0) this.expecting = 'end of data'
        continue
      }
      const newline = bytes.indexOf(LF, position)
      const line = this.readLine(bytes, position, newline)
      if (line === null) return { payload: bytes.subarray(0, kept), rest: null, undecoded: NOTHING }
      position = newline + 1
      lines += 1
      if (this.takeLine(line))
        return { payload: bytes.subarray(0, kept), rest: bytes.subarray(position), undecoded: NOTHING }
    }
    return { payload: bytes.subarray(0, kept), rest: null, undecoded: bytes.subarray(position) }
  }

  /** A whole line without its end, or null when only a part of it is there yet. */
  private readLine(bytes: Buffer, start: number, newline: number): string | null {
    this.line += bytes.toString('latin1', start, newline < 0 ? bytes.length : newline)
    if (this.line.length > MAX_LINE_BYTES) throw new MalformedMessage('an endless line between chunks')
    if (newline < 0) return null
    const { line } = this
    this.line = ''
    if (line.charCodeAt(line.length - 1) !== CR) throw new MalformedMessage('a chunk line without carriage return')
    return line.slice(0, -1)
  }

  /** True when the line was the last of the body. */
  private takeLine(line: string): boolean {
    switch (this.expecting) {
      case 'size': {
        const size = SIZE_LINE.exec(line)?.[1]
        if (!size) throw new MalformedMessage('a chunk without size')
        this.countExtra(line.length - size.length)
        this.remaining = Number.parseInt(size, 16)
        this.expecting = this.remaining === 0 ? 'trailer' : 'data'
        return false
      }
      case 'end of data':
        if (line !== '') throw new MalformedMessage('a chunk longer than its size')
        this.expecting = 'size'
        return false
      default:
        if (line === '') return true
        this.takeTrailer(line)
        return false
    }
  }

  private countExtra(bytes: number): void {
    this.extraBytes += bytes
    if (this.extraBytes > MAX_EXTRA_BYTES) throw new MalformedMessage('too much beside the body')
  }

  private takeTrailer(line: string): void {
    if (this.trailers.length >= MAX_TRAILERS * 2) throw new MalformedMessage('too many trailers')
    this.countExtra(line.length)
    this.trailers.push(...readHeaderLine(line))
  }
}
