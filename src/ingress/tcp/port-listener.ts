import { createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'

export interface PortListenerOptions {
  host: string
  port: number
  log: Logger
  onConnection(socket: Socket): void
  /** A connection could not be accepted, because this machine has run out of something. */
  onExhausted(error: Error): void
}

const RETRY_MS = 1_000

/** Listens on one port, and keeps trying while it cannot. */
export class PortListener {
  /** Why it does not listen; null while it does. */
  problem: string | null = 'is being opened'
  private readonly options: PortListenerOptions
  private server: Server | null = null
  private retry: NodeJS.Timeout | null = null
  private isReported = false

  constructor(options: PortListenerOptions) {
    this.options = options
    this.open()
  }

  close(): void {
    if (this.retry) clearTimeout(this.retry)
    this.server?.close()
    this.server = null
    this.problem = 'is closed'
  }

  private open(): void {
    const { host, port, log, onConnection, onExhausted } = this.options
    // Nothing is read from a client before a container takes it: whatever it sends waits in its own socket.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, onConnection)
    this.server = server
    const failed = (error: NodeJS.ErrnoException) => this.failed(error)
    server.once('error', failed)
    // Exclusive: another Berth on this machine must never get some of the connections to one port.
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', failed)
      server.on('error', onExhausted)
      this.problem = null
      if (this.isReported) log.info({ port }, 'ingress: the port for external access is open now')
      this.isReported = false
    })
  }

  private failed(error: NodeJS.ErrnoException): void {
    const { host, port, log } = this.options
    // Closed meanwhile.
    if (this.server === null) return
    this.problem = error.code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be opened (${error.message})`
    if (!this.isReported)
      log.error({ host, port }, `ingress: the port for external access ${this.problem}; it is tried again every second`)
    this.isReported = true
    this.retry = setTimeout(() => this.open(), RETRY_MS).unref()
  }
}
