import type { Socket } from 'node:net'
import { writeChunk } from './chunked-body.ts'

/** Of our connections to clients: longer than load balancers in front keep idle ones (mostly 60 s), so that they close first. */
export const KEEP_ALIVE_SECONDS = 75

export interface AnswerHead {
  status: number
  reason: string
  /** Name, value, name, value…: checked where they were read or made. */
  headers: readonly string[]
  /** How its end is found: by a Content-Length among the headers, or in no such way. Null: it has no body. */
  length: 'given' | 'unknown' | null
  hasDate: boolean
}

export interface AnsweredRequest {
  isHttp11: boolean
  /** The client wants to go on with this connection. */
  keepsAlive: boolean
}

/** Writes the answer to one request, with as few writes as its parts allow. */
export class ClientAnswer {
  status = 0
  /** Whether its head is decided: no other answer is possible. */
  hasBegun = false
  hasEnded = false
  /** The connection can serve another request after this. */
  keepsAlive: boolean
  /** What was answered so far has no other end than that of the connection. */
  endsWithConnection = false
  private readonly socket: Socket
  private readonly isHttp11: boolean
  private readonly onEnd: () => void
  /** The head, while it waits for what follows it. */
  private pending = ''
  private isChunked = false

  constructor(socket: Socket, { isHttp11, keepsAlive }: AnsweredRequest, onEnd: () => void) {
    this.socket = socket
    this.isHttp11 = isHttp11
    this.keepsAlive = keepsAlive
    this.onEnd = onEnd
  }

  /** Answers of before the last one, which HTTP/1.0 does not know: 100 and 103. */
  writeInterim(status: number, reason: string, headers: readonly string[]): void {
    if (this.isHttp11 && !this.hasBegun)
      this.socket.write(`HTTP/1.1 ${status} ${reason}\r\n${headerLines(headers)}\r\n`, 'latin1')
  }

  begin({ status, reason, headers, length, hasDate }: AnswerHead): void {
    this.hasBegun = true
    this.status = status
    this.isChunked = length === 'unknown' && this.isHttp11
    this.endsWithConnection = length === 'unknown' && !this.isHttp11
    if (this.endsWithConnection) this.keepsAlive = false
    let head = `HTTP/1.1 ${status} ${reason}\r\n${headerLines(headers)}`
    if (!hasDate) head += `Date: ${currentDate()}\r\n`
    head += this.keepsAlive ? KEPT : 'Connection: close\r\n'
    this.pending = `${head}${this.isChunked ? 'Transfer-Encoding: chunked\r\n' : ''}\r\n`
  }

  /** Sends the head, if it waits. */
  flush(): void {
    const { pending } = this
    this.pending = ''
    if (pending !== '') this.socket.write(pending, 'latin1')
  }

  /** A part of the body, which is not to be changed any more. False: wait for the socket to drain. */
  write(bytes: Buffer): boolean {
    const { socket } = this
    socket.cork()
    this.flush()
    const isWanted = this.isChunked ? writeChunk(socket, bytes) : socket.write(bytes)
    socket.uncork()
    return isWanted
  }

  /** Ends with a last part, as text of one character a byte where it is small: it leaves with the head by one system call. */
  end(last: string | Buffer, trailers: readonly string[] = []): void {
    const { isChunked, socket } = this
    socket.cork()
    if (typeof last !== 'string') this.write(last)
    const part = typeof last === 'string' ? last : ''
    const chunk = isChunked && part !== '' ? `${part.length.toString(16)}\r\n${part}\r\n` : part
    const text = `${this.pending}${chunk}${isChunked ? `0\r\n${headerLines(trailers)}\r\n` : ''}`
    this.pending = ''
    if (text !== '') socket.write(text, 'latin1')
    socket.uncork()
    this.hasEnded = true
    this.onEnd()
  }
}

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}\r\n`

export function headerLines(headers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index < headers.length; index += 2) lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return lines
}

let date = { text: '', second: 0 }

/** Changes once in a second. */
function currentDate(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== date.second) date = { text: new Date(now).toUTCString(), second }
  return date.text
}
