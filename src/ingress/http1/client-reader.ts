import type { Socket } from 'node:net'
import { type InPieces, turns } from '../turns.ts'

// Below it, no bytes are so costly that looking at them pays.
const SMALL_BYTES = 1_024
// A request has at least two lines, as has a chunk of a body.
const LINES_A_PIECE = 64
const LF = 0x0a

/**
 * Hands the bytes of a client connection to Node's HTTP parser in pieces, and lets other connections have turns in
 * between. Node parses what it has read in one go: 64 KB are up to 3,600 requests, or 10,000 chunks of a body, and it
 * reads up to 32 times that before it attends to anybody else. Both cost in proportion to lines, so a piece ends after
 * so many of them.
 */
export class ClientReader implements InPieces {
  private readonly socket: Socket
  private readonly parse: (bytes: Buffer) => void
  /** What has been read, but not parsed. While there is any, the socket is paused. */
  private held: Buffer | null = null
  /** Whether Node's server wants more, as it says by pausing and resuming the socket. */
  private isWanted = true
  private isWaiting = false
  private hasStopped = false

  /** To be called once Node's server listens to the socket. */
  constructor(socket: Socket) {
    this.socket = socket
    const [parse] = socket.listeners('data')
    this.parse = parse as (bytes: Buffer) => void
    // Also ends Node's short cut from the socket to its parser.
    socket.on('data', this.onData)
    socket.off('data', this.parse)
    socket.pause = () => this.pause()
    socket.resume = () => this.resume()
  }

  /** Nothing that comes later is parsed: it is read and dropped, so that the client can read its answers. */
  stop(): void {
    this.hasStopped = true
    this.held = null
    this.resumeSocket()
  }

  /** Leaves the socket to another reader. Returns what was read and not parsed. */
  release(): Buffer {
    const { held, socket } = this
    this.hasStopped = true
    this.held = null
    socket.off('data', this.onData)
    socket.pause = Object.getPrototypeOf(socket).pause
    socket.resume = Object.getPrototypeOf(socket).resume
    return held ?? Buffer.alloc(0)
  }

  doPiece(): void {
    const bytes = this.held
    this.isWaiting = false
    if (!bytes || !this.isWanted || this.socket.destroyed) return
    this.parsePiece(bytes)
    if (!this.isWanted) return
    if (this.held) this.wait()
    else if (!this.hasStopped) this.resumeSocket()
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.hasStopped) return
    if (this.held) {
      this.held = Buffer.concat([this.held, bytes])
      return
    }
    this.parsePiece(bytes)
    if (!this.held) return
    this.pauseSocket()
    if (this.isWanted) this.wait()
  }

  private parsePiece(bytes: Buffer): void {
    const end = endOfPiece(bytes)
    this.held = end < bytes.length ? bytes.subarray(end) : null
    this.parse(this.held ? bytes.subarray(0, end) : bytes)
  }

  private pause(): Socket {
    this.isWanted = false
    return this.held ? this.socket : this.pauseSocket()
  }

  private resume(): Socket {
    this.isWanted = true
    if (!this.held) return this.resumeSocket()
    this.wait()
    return this.socket
  }

  private wait(): void {
    if (this.isWaiting) return
    this.isWaiting = true
    turns.join(this)
  }

  private pauseSocket(): Socket {
    return Object.getPrototypeOf(this.socket).pause.call(this.socket)
  }

  private resumeSocket(): Socket {
    return Object.getPrototypeOf(this.socket).resume.call(this.socket)
  }
}

function endOfPiece(bytes: Buffer): number {
  if (bytes.length <= SMALL_BYTES) return bytes.length
  let end = 0
  for (let line = 0; line < LINES_A_PIECE; line += 1) {
    end = bytes.indexOf(LF, end) + 1
    if (end === 0) return bytes.length
  }
  return end
}
