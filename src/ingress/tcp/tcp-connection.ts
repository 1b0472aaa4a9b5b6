import { connect, type Socket } from 'node:net'
import { isHostExhausted } from '../../domain/host-exhausted.ts'
import { joinEnds } from '../connections/join-ends.ts'
import type { TcpTarget } from '../routes/route-table.ts'
import type { Refusal } from './refusal.ts'

export interface TcpTimeouts {
  connectMs: number
  /** 0: none. */
  idleMs: number
}

export interface TcpConnectionOptions extends TcpTimeouts {
  client: Socket
  /** Address of the client. */
  peer: string
  /** Where to connect, in this order; there is at least one. */
  targets: readonly TcpTarget[]
  /** Called once, when both ends are closed. The reason is null when they were joined. */
  onEnd(connection: TcpConnection, refusal: Refusal | null): void
}

export interface Transferred {
  fromClients: number
  fromContainers: number
}

// Dead peers, which a database's idle connections would otherwise keep open for ever.
const KEEP_ALIVE_MS = 60_000
// A side that has finished sending waits for the other one so long, unless that one sends.
const HALF_OPEN_IDLE_MS = 300_000
const READ_BUFFER_BYTES = 65_536

// One for all connections, as replicas are read in HTTP: bytes are copied out of it before the next read.
const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES)

/** One connection of a client, and the one to a container that it is joined with. No byte of it is looked at. */
export class TcpConnection {
  readonly peer: string
  /** The container that it is, or is being, connected to. */
  target: TcpTarget
  private readonly options: TcpConnectionOptions
  private readonly client: Socket
  private upstream: Socket | null = null
  private reported: Transferred = { fromClients: 0, fromContainers: 0 }
  private drainTimer: NodeJS.Timeout | null = null
  private refusal: Refusal | null = null
  private open = 1

  /** The client's socket must be paused, so that nothing is read before there is somewhere to write it. */
  constructor(options: TcpConnectionOptions) {
    this.options = options
    this.client = options.client
    this.peer = options.peer
    this.target = options.targets[0] as TcpTarget
    this.client.once('close', () => this.closed())
    this.dial(0)
  }

  /** What was transferred since the last call, in bytes. */
  takeTransferred(): Transferred {
    const now = { fromClients: this.client.bytesRead, fromContainers: this.upstream?.bytesRead ?? 0 }
    const { fromClients, fromContainers } = this.reported
    this.reported = now
    return { fromClients: now.fromClients - fromClients, fromContainers: now.fromContainers - fromContainers }
  }

  /** Its container is about to be stopped: the client has this long to finish. */
  drain(ms: number): void {
    this.drainTimer ??= setTimeout(() => this.destroy(), ms).unref()
  }

  /** Its container stays after all. */
  stay(): void {
    if (this.drainTimer) clearTimeout(this.drainTimer)
    this.drainTimer = null
  }

  destroy(): void {
    this.client.resetAndDestroy()
    this.upstream?.resetAndDestroy()
  }

  private dial(index: number): void {
    const target = this.options.targets[index] as TcpTarget
    this.target = target
    let error: Error | null = null
    const upstream = connect({
      host: target.address,
      port: target.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      allowHalfOpen: true,
      onread: {
        buffer: readBuffer,
        callback: (length) => this.client.write(Buffer.from(readBuffer.subarray(0, length))),
      },
    })
    this.upstream = upstream
    const tooLong = () => upstream.destroy(new Error('connecting took too long'))
    upstream.setTimeout(this.options.connectMs, tooLong)
    upstream.on('error', (cause) => {
      error = cause
    })
    const failed = () => this.failed(index, error)
    upstream.once('close', failed)
    upstream.once('connect', () => {
      upstream.off('close', failed)
      upstream.setTimeout(0, tooLong)
      this.join(upstream)
    })
  }

  /** Nothing was read from the client yet, so another container can have it. */
  private failed(index: number, error: Error | null): void {
    const isExhausted = isHostExhausted(error)
    if (this.client.destroyed) return
    if (!isExhausted && index + 1 < this.options.targets.length) {
      this.dial(index + 1)
      return
    }
    this.refusal = isExhausted ? 'HOST_EXHAUSTED' : 'UNREACHABLE'
    this.client.resetAndDestroy()
  }

  private join(upstream: Socket): void {
    const { client } = this
    this.open += 1
    upstream.once('close', () => this.closed())
    client.setNoDelay(true)
    client.setKeepAlive(true, KEEP_ALIVE_MS)
    client.on('data', (chunk: Buffer) => {
      if (!upstream.write(chunk)) client.pause()
    })
    upstream.on('drain', () => client.resume())
    client.on('drain', () => upstream.resume())
    // Traffic in both directions shows on the client's side.
    client.setTimeout(this.options.idleMs, () => this.destroy())
    for (const side of [client, upstream]) side.once('end', () => this.limitHalfOpen(upstream))
    joinEnds(client, upstream)
    client.resume()
  }

  private limitHalfOpen(upstream: Socket): void {
    const { idleMs } = this.options
    const limitMs = idleMs === 0 ? HALF_OPEN_IDLE_MS : Math.min(idleMs, HALF_OPEN_IDLE_MS)
    this.client.setTimeout(limitMs)
    upstream.setTimeout(limitMs, () => this.destroy())
  }

  private closed(): void {
    this.open -= 1
    if (this.open > 0) return
    this.stay()
    if (this.upstream?.connecting) this.upstream.destroy()
    this.options.onEnd(this, this.refusal)
  }
}
