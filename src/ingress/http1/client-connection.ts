import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { MalformedMessage } from '../header-lines.ts'
import { type InPieces, turns } from '../turns.ts'
import { ClientAnswer } from './client-answer.ts'
import { type BodyReader, ClientBody } from './client-body.ts'
import { ConnectionDeadlines } from './connection-deadlines.ts'
import type { Ongoing } from './ongoing.ts'
import { rawProblem } from './problem-answer.ts'
import { badRequest, headersTooLarge, type Problem, requestTimeout } from './problems.ts'
import { framingOf, HeadTooLarge, RequestHead } from './request-head.ts'

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

/** Listener for events of the connection while its request is answered. */
export interface RequestOwner {
  /** The client takes more of the answer. */
  onDrain(): void
  /** The client has left: no answer can be sent. */
  onGone(): void
  /** The bytes of the body cannot be read on. */
  onMalformedBody(problem: Problem): void
}

export interface ConnectionEvents {
  onRequest(request: ClientRequest): void
  /** Also when the socket was handed over. */
  onClose(connection: ClientConnection): void
}

const END_OF_HEAD = '\r\n\r\n'
const MAX_HEAD_BYTES = 32_768
// Of what a client sends ahead of an answer. Reading stops there, and goes on when the answer has ended.
const MAX_AHEAD_BYTES = 65_536
const BARE_LINE_FEED = /(?<!\r)\n/
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
  private readonly deadlines: ConnectionDeadlines
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

  /** Silent for `idleMs`, it is closed, unless an app is within its time to answer. */
  constructor(socket: Socket, idleMs: number, events: ConnectionEvents) {
    this.socket = socket
    this.deadlines = new ConnectionDeadlines(socket, idleMs)
    this.events = events
    socket.setTimeout(idleMs)
    socket.on('timeout', this.onTimeout)
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

  /** Sets the listener of the connection. */
  own(owner: RequestOwner): void {
    this.owner = owner
  }

  /** The answer to the present request, if any, is the last one. */
  closeSoon(): void {
    this.isClosing = true
    if (this.request) this.request.answer.keepsAlive &&= this.request.answer.hasBegun
    else if (this.isIdle && this.socket.writableLength === 0) this.destroy()
    else if (this.isIdle) this.close()
  }

  /** The present answer is the last one, and what comes after its request is not even parsed. */
  stop(): void {
    this.isStopped = true
    this.held = NOTHING
    this.deadlines.beginLingering()
    if (this.request) this.request.answer.keepsAlive = false
    this.updateReading()
  }

  /** Reads the rest of an unwanted body, so that the connection can be reused; closes it when that is too long. */
  discard(body: ClientBody): void {
    if (body.isComplete) return
    this.deadlines.beginLingering()
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
    socket.off('timeout', this.onTimeout)
    this.events.onClose(this)
    if (!this.isReading) socket.resume()
    return held
  }

  sweep(now: number): void {
    const { request, deadlines } = this
    const isAnswered = request?.answer.hasEnded !== false
    if (deadlines.isStuck(now) || (isAnswered && deadlines.hasLingered(now))) this.destroy()
    else if (request || this.isStopped) return
    else if (deadlines.isHeadLate(now)) this.refuse(requestTimeout())
    else if (deadlines.isIdleTooLong(now)) this.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** Ends in the middle of an answer, so that no client takes its part for the whole. */
  breakOff(): void {
    if (this.request?.answer.endsWithConnection) this.socket.resetAndDestroy()
    else this.destroy()
  }

  doPiece(): void {
    this.isWaiting = false
    if (this.isDetached || this.isStopped) return
    this.parse()
    this.updateReading()
  }

  private readonly discarded: BodyReader = {
    onBody: (bytes) => this.drop(bytes),
    onBodyEnd: () => {},
  }

  private drop(bytes: Buffer): void {
    if (!this.deadlines.drop(bytes)) this.destroy()
  }

  private readonly onData = (bytes: Buffer): void => {
    if (this.isStopped) this.drop(bytes)
    else {
      this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes])
      if (!this.isWaiting) this.parse()
      this.updateReading()
    }
  }

  private readonly onDrain = (): void => {
    if (this.request?.answer.hasEnded) this.proceed()
    else this.owner?.onDrain()
  }

  /** The code that waits for an app's answer measures the time of one that has not begun. */
  private readonly onTimeout = (): void => {
    if (!this.owner || this.request?.answer.hasBegun) this.destroy()
  }

  /** A client that half-closes is gone, as one that leaves looks the same. What was answered is still sent. */
  private readonly onEnd = (): void => {
    // The tunnel passes it on: each of its directions ends by itself.
    if (this.request?.isUpgrade) return
    const { answer } = this.request ?? {}
    this.leave()
    if (answer?.hasBegun && !answer.hasEnded) this.breakOff()
    else this.close()
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
      const isLarge = error instanceof HeadTooLarge
      this.refuse(isLarge ? headersTooLarge() : badRequest(`The request is not valid HTTP/1.1: ${error.message}.`))
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
    } else if (text.length > MAX_HEAD_BYTES) throw new HeadTooLarge()
    else if (start === text.length) this.held = NOTHING
    else if (BARE_LINE_FEED.test(text)) throw new MalformedMessage('a line that ends with a line feed alone')
    else this.deadlines.beginHead()
  }

  private begin(head: RequestHead): void {
    const framing = framingOf(head)
    const isUpgrade = framing === null && head.asksToSwitch
    const answered = { isHttp11: head.isHttp11, keepsAlive: head.keepsAlive && !isUpgrade && !this.isClosing }
    const answer = new ClientAnswer(this.socket, answered, this.onAnswered)
    const body = framing && new ClientBody(framing, this.onBodyWanted)
    this.request = { head, body, answer, connection: this, isUpgrade }
    this.deadlines.beginRequest()
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
    // In between, the request would be answered before its handler knows of it.
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
    this.deadlines.endRequest()
    if (this.isClosing) this.close()
    else if (this.held.length > 0) this.wait()
    this.updateReading()
  }

  /** Once everything is written; then the client has a while to read it, and to close as well. */
  private close(): void {
    this.stop()
    this.socket.end()
  }

  /** The request cannot be read. */
  private refuse(problem: Problem): void {
    const { owner, request } = this
    this.stop()
    if (owner) owner.onMalformedBody(problem)
    else if (request?.answer.hasEnded) this.close()
    else {
      this.socket.write(rawProblem(problem, randomUUID()), 'latin1')
      this.close()
    }
  }

  /** Yields to other connections before this one continues. */
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
