import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { MalformedMessage } from '../header-lines.ts'
import { type InPieces, turns } from '../turns.ts'
import { ClientAnswer, KEEP_ALIVE_SECONDS } from './client-answer.ts'
import { type BodyReader, ClientBody } from './client-body.ts'
import type { Ongoing } from './ongoing.ts'
import { rawProblem } from './problem-answer.ts'
import { badRequest, headersTooLarge, type Problem, requestTimeout } from './problems.ts'
import { framingOf, RequestHead } from './request-head.ts'

/** One request of a client, as the connection hands it over. */
export interface ClientRequest {
  head: RequestHead
  /** Null for a request without a body. */
  body: ClientBody | null
  answer: ClientAnswer
  connection: ClientConnection
  /** The client asks to switch protocols, and nothing of it says that this cannot be. */
  isUpgrade: boolean
}

/** Hears what happens to the connection while its request is answered. */
export interface RequestOwner {
  /** The client takes more of the answer. */
  onDrain(): void
  /** The client has left: nobody can be answered. */
  onGone(): void
  /** The bytes of the body cannot be read on. */
  onMalformedBody(problem: Problem): void
}

export interface ConnectionEvents {
  onRequest(request: ClientRequest): void
  /** Also when the socket has gone to somebody else. */
  onClose(connection: ClientConnection): void
}

const END_OF_HEAD = '\r\n\r\n'
const MAX_HEAD_BYTES = 32_768
// Of what a client sends ahead of an answer. Reading stops there, and goes on when the answer has ended.
const MAX_AHEAD_BYTES = 65_536
// Limits clients that send their heads slowly to hold connections.
const HEAD_TIMEOUT_MS = 15_000
// When a request is refused in the middle of its body, the client may finish sending, within limits: closing at once would
// reset the connection, and the client would lose the answer that says why.
const LINGER = { bytes: 16 * 1_048_576, ms: 5_000 }
const NOTHING = Buffer.alloc(0)

/**
 * One connection of a client. Its requests are read and served one at a time: HTTP/1.1 answers them in their order anyway, and
 * a client that sends a thousand at once must not get a thousand connections to an app for its one.
 */
export class ClientConnection implements Ongoing, InPieces {
  index = -1
  readonly socket: Socket
  /** The client has left. */
  isGone = false
  private readonly events: ConnectionEvents
  private request: ClientRequest | null = null
  private owner: RequestOwner | null = null
  /** What was read and not parsed. */
  private held: Buffer = NOTHING
  private isWaiting = false
  private isReading = true
  /** What still comes is read and dropped, so that the client can read its answer. */
  private isStopped = false
  private isDetached = false
  private isClosing = false
  private isBeginning = false
  private hasServed = false
  /** When the head that is being read began; or the connection, or its last request, was the last that happened. */
  private since = performance.now()
  private lingers: { since: number; bytes: number } | null = null

  constructor(socket: Socket, events: ConnectionEvents) {
    this.socket = socket
    this.events = events
    socket.on('data', this.onData)
    socket.on('drain', this.onDrain)
    socket.on('end', this.onEnd)
    // Its end is reported by `close`.
    socket.on('error', () => {})
    socket.once('close', this.onSocketClose)
  }

  get isIdle(): boolean {
    return this.request === null && this.held.length === 0
  }

  /** Who hears of the connection from now on. */
  own(owner: RequestOwner): void {
    this.owner = owner
  }

  /** The answer to the present request, if any, is the last one. */
  closeSoon(): void {
    this.isClosing = true
    if (this.request) this.request.answer.keepsAlive &&= this.request.answer.hasBegun
    else if (this.isIdle) this.socket.destroy()
  }

  /** The present answer is the last one, and what comes after its request is not even parsed. */
  stop(): void {
    this.isStopped = true
    this.held = NOTHING
    if (this.request) this.request.answer.keepsAlive = false
    this.updateReading()
  }

  /** Reads the rest of a body that nobody wants, so that the connection can be reused; closes it when that is too long. */
  discard(body: ClientBody): void {
    if (body.isComplete) return
    this.lingers = { since: performance.now(), bytes: 0 }
    body.readBy(this.discarded)
  }

  /** Leaves the socket to another reader. Returns what was read and not parsed. */
  detach(): Buffer {
    const { socket, held } = this
    this.isDetached = true
    this.isStopped = true
    this.held = NOTHING
    socket.off('data', this.onData)
    socket.off('drain', this.onDrain)
    socket.off('end', this.onEnd)
    socket.off('close', this.onSocketClose)
    this.events.onClose(this)
    if (!this.isReading) socket.resume()
    return held
  }

  sweep(now: number): void {
    const { lingers } = this
    if (this.request) {
      if (lingers && now - lingers.since > LINGER.ms) this.destroy()
    } else if (this.held.length > 0) {
      if (now - this.since > HEAD_TIMEOUT_MS) this.refuse(requestTimeout())
    } else if (now - this.since > (this.hasServed ? KEEP_ALIVE_SECONDS * 1000 : HEAD_TIMEOUT_MS)) this.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }

  doPiece(): void {
    this.isWaiting = false
    if (this.isDetached || this.isStopped) return
    this.parse()
    this.updateReading()
  }

  private readonly discarded: BodyReader = {
    onBody: ({ length }) => {
      if (!this.lingers) return
      this.lingers.bytes += length
      if (this.lingers.bytes > LINGER.bytes) this.destroy()
    },
    onBodyEnd: () => {},
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.isStopped) return
    if (this.isIdle) this.since = performance.now()
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes])
    if (!this.isWaiting) this.parse()
    this.updateReading()
  }

  private readonly onDrain = (): void => {
    if (this.request?.answer.hasEnded) this.proceed()
    else this.owner?.onDrain()
  }

  /** A client that half-closes is gone, as one that leaves looks the same. What was answered is still sent. */
  private readonly onEnd = (): void => {
    // The tunnel passes it on: each of its directions ends by itself.
    if (this.request?.isUpgrade) return
    this.leave()
    this.socket.end()
  }

  private readonly onSocketClose = (): void => {
    this.leave()
    this.events.onClose(this)
  }

  private leave(): void {
    const { owner } = this
    this.owner = null
    this.isGone = true
    this.isStopped = true
    this.held = NOTHING
    owner?.onGone()
  }

  /** As far as can be in this turn. */
  private parse(): void {
    const { request } = this
    try {
      if (!request) this.parseHead()
      else if (request.body) this.parseBody(request.body)
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      this.refuse(badRequest(`The request is not valid HTTP/1.1: ${error.message}.`))
    }
  }

  private parseHead(): void {
    const text = this.held.toString('latin1', 0, MAX_HEAD_BYTES + END_OF_HEAD.length)
    const start = leadingLineEnds(text)
    const end = text.indexOf(END_OF_HEAD, start)
    if (end >= 0) {
      const head = new RequestHead(text.slice(start, end))
      this.held = after(this.held, end + END_OF_HEAD.length)
      this.begin(head)
    } else if (text.length > MAX_HEAD_BYTES) this.refuse(headersTooLarge())
    else if (start === text.length) this.held = NOTHING
  }

  private begin(head: RequestHead): void {
    const framing = framingOf(head)
    const isUpgrade = framing === null && head.asksToSwitch
    const answered = { isHttp11: head.isHttp11, keepsAlive: head.keepsAlive && !isUpgrade && !this.isClosing }
    const answer = new ClientAnswer(this.socket, answered, this.onAnswered)
    const body = framing && new ClientBody(framing, this.onBodyWanted)
    this.request = { head, body, answer, connection: this, isUpgrade }
    this.hasServed = true
    this.isBeginning = true
    this.events.onRequest(this.request)
    this.isBeginning = false
    // What came with the head; it is bounded, as every piece is.
    if (body) this.parseBody(body)
  }

  private parseBody(body: ClientBody): void {
    const { held } = this
    if (!body.isWanted || body.isComplete || held.length === 0 || this.isStopped) return
    this.held = NOTHING
    const rest = body.feed(held)
    if (this.isStopped) return
    this.held = rest
    if (body.isComplete) this.proceed()
    else if (rest.length > 0 && body.isWanted) this.wait()
  }

  private readonly onBodyWanted = (): void => {
    // In between, the request would be answered before whoever answers it knows of it.
    if (this.isStopped || this.isBeginning || this.isWaiting) return
    this.parse()
    this.updateReading()
  }

  private readonly onAnswered = (): void => {
    this.owner = null
    if (this.request?.answer.keepsAlive === false) this.close()
    else this.proceed()
  }

  /** To the next request, once this one is read and answered, and the client has taken the answer. */
  private proceed(): void {
    const { request, socket } = this
    if (!request?.answer.hasEnded || request.body?.isComplete === false || socket.writableNeedDrain) return
    this.request = null
    this.lingers = null
    this.since = performance.now()
    if (this.isClosing) this.close()
    else if (this.held.length > 0) this.wait()
    this.updateReading()
  }

  /** Once everything is written. */
  private close(): void {
    this.isStopped = true
    this.held = NOTHING
    this.updateReading()
    this.socket.destroySoon()
  }

  /** The request cannot be read. */
  private refuse(problem: Problem): void {
    const { owner, request } = this
    this.stop()
    if (owner) owner.onMalformedBody(problem)
    else if (request?.answer.hasBegun) this.destroy()
    else this.socket.end(rawProblem(problem, randomUUID()), () => this.destroy())
  }

  /** Others have their turn before this goes on. */
  private wait(): void {
    if (this.isWaiting) return
    this.isWaiting = true
    turns.join(this)
  }

  private updateReading(): void {
    const { held, request } = this
    const isBody = request?.body?.isComplete === false
    const most = this.isWaiting || isBody ? 0 : MAX_AHEAD_BYTES
    const isReading = this.isStopped || held.length <= most
    if (isReading === this.isReading || this.isDetached) return
    this.isReading = isReading
    if (isReading) this.socket.resume()
    else this.socket.pause()
  }
}

const after = (bytes: Buffer, start: number) => (start < bytes.length ? bytes.subarray(start) : NOTHING)

/** Some clients end a request with an empty line too many (RFC 9112 §2.2). */
function leadingLineEnds(text: string): number {
  let start = 0
  while (text.startsWith('\r\n', start)) start += 2
  return start
}
