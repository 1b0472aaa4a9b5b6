import type { WebSocket } from 'ws'
import type { Config } from '../../config/config.ts'
import {
  CHANNEL,
  closeReason,
  execStatus,
  onChannel,
  SESSION_ENDS,
  type SessionEnd,
  type SessionEndReason,
} from '../../domain/remote-session.ts'
import { PacedSocket } from '../../network/paced-socket.ts'
import type { HeldSession } from '../../services/remote-session/held-sessions.ts'

const WORKER_WAIT_SECONDS = 10
/** A client of a process that stops is cut then. */
const STOP_CUT_MS = 2_000

interface RelayedSessionOptions {
  held: HeldSession
  client: PacedClient
  config: Config
  /** Called once. */
  onEnd(end: SessionEnd): void
}

/** A client's socket that was opened before its session was known: its messages wait until they have a taker. */
export class PacedClient {
  readonly socket: PacedSocket
  readonly #taker = Promise.withResolvers<PacedMessages>()

  constructor(socket: WebSocket, heartbeatMs: number) {
    this.socket = new PacedSocket(socket, {
      heartbeatMs,
      onMessage: async (content, isBinary) => (await this.#taker.promise)(content, isBinary),
    })
  }

  takeBy(taker: PacedMessages): void {
    this.#taker.resolve(taker)
  }
}

type PacedMessages = (content: Buffer, isBinary: boolean) => Promise<void> | void

/** A client and the worker that serves it: what either sends goes to the other, no faster than that takes it. */
export class RelayedSession {
  readonly held: HeldSession
  readonly #options: RelayedSessionOptions
  readonly #worker = Promise.withResolvers<PacedSocket>()
  readonly #timers: NodeJS.Timeout[] = []
  #hasWorker = false
  #isEnded = false
  #lastByteAt = performance.now()

  constructor(options: RelayedSessionOptions) {
    const { held, client, config } = options
    this.held = held
    this.#options = options
    const { BERTH_REMOTE_SESSION_IDLE_SECONDS: idle, BERTH_REMOTE_SESSION_SECONDS: total } = config
    // Nothing waits for it once the session has ended.
    this.#worker.promise.catch(() => {})
    this.#timers.push(
      setTimeout(() => this.#missWorker(), WORKER_WAIT_SECONDS * 1000).unref(),
      setTimeout(
        () => this.end('TIME_UP', `The session lasted ${total} s, as long as it may (BERTH_REMOTE_SESSION_SECONDS)`),
        total * 1000,
      ).unref(),
      setInterval(() => this.#checkIdle(idle), Math.min(idle * 250, 10_000)).unref(),
    )
    client.takeBy((content, isBinary) => this.#fromClient(content, isBinary))
    void client.socket.finished.then(() => this.end('CLIENT_CLOSED', 'The client closed the session'))
  }

  /** False where it has a worker, or has ended. */
  get waitsForWorker(): boolean {
    return !this.#hasWorker && !this.#isEnded
  }

  serveBy(socket: WebSocket): void {
    this.#hasWorker = true
    const worker = new PacedSocket(socket, {
      heartbeatMs: this.#options.config.BERTH_HEARTBEAT_SECONDS * 1000,
      onMessage: (content, isBinary) => this.#fromWorker(content, isBinary),
    })
    void worker.finished.then(() =>
      this.end('WORKER_LOST', 'The worker that served the session ended: open another session'),
    )
    this.#worker.resolve(worker)
  }

  /** Ends it in words, unless it has ended. */
  end(reason: SessionEndReason, message: string, exitCode: number | null = null): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const timer of this.#timers) clearTimeout(timer)
    const end = { reason, message, exitCode }
    this.#options.onEnd(end)
    this.#worker.reject(new Error(message))
    void this.#worker.promise.then((worker) => worker.close(1000, ''))
    void this.#tellClient(end)
  }

  /** The whole message comes before the close frame, which holds little. */
  async #tellClient(end: SessionEnd): Promise<void> {
    const { socket } = this.#options.client
    const status = JSON.stringify(execStatus(end))
    const cutAfterMs = end.reason === 'STOPPING' ? STOP_CUT_MS : undefined
    void socket.send(this.held.isTunnel ? status : onChannel(CHANNEL.STATUS, Buffer.from(status)))
    socket.close(SESSION_ENDS[end.reason], closeReason(end.message), cutAfterMs)
  }

  async #fromClient(content: Buffer, isBinary: boolean): Promise<void> {
    if (!isBinary) return this.end('CLIENT_FAULT', 'Send binary messages: a text message is none of the protocol')
    const worker = await this.#worker.promise.catch(() => null)
    this.#lastByteAt = performance.now()
    await worker?.send(content)
  }

  async #fromWorker(content: Buffer, isBinary: boolean): Promise<void> {
    this.#lastByteAt = performance.now()
    if (isBinary) return this.#isEnded ? undefined : this.#options.client.socket.send(content)
    const { reason, message, exitCode } = JSON.parse(content.toString('utf8')) as SessionEnd
    this.end(reason, message, exitCode)
  }

  #missWorker(): void {
    if (this.#hasWorker) return
    this.end('NO_WORKER', `No worker took the session within ${WORKER_WAIT_SECONDS} s: try again later`)
  }

  #checkIdle(idleSeconds: number): void {
    if (performance.now() - this.#lastByteAt < idleSeconds * 1000) return
    this.end('IDLE', `No byte passed for ${idleSeconds} s (BERTH_REMOTE_SESSION_IDLE_SECONDS)`)
  }
}
