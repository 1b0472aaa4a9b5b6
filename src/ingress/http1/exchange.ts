import type { ReplicaGroup } from '../upstreams/replica-group.ts'
import type { ReplicaPool } from '../upstreams/replica-pool.ts'
import { MalformedResponse, type ResponseHead } from '../upstreams/response-head.ts'
import type { FailureKind, UpstreamConnection, UpstreamSink } from '../upstreams/upstream-connection.ts'
import type { ClientRequest, ExchangeContext } from './exchange-context.ts'
import type { Ongoing } from './ongoing.ts'
import { answerProblem } from './problem-answer.ts'
import {
  answerTimeout,
  brokenAnswer,
  hostExhausted,
  notServing,
  type Problem,
  payloadTooLarge,
  replicasRefused,
  requestTimeout,
  tooManyConnections,
} from './problems.ts'
import { RequestBody } from './request-body.ts'
import { withoutSharedCookies } from './shared-cookies.ts'
import { timedOutParty } from './timed-out-party.ts'
import { openTunnel } from './tunnel.ts'
import type { WaitingExchange } from './waiting-exchanges.ts'

const MAX_RETRIES = 16
// A request that must not be sent twice only uses a connection that was active a moment ago: then the upstream cannot
// be about to close it as idle.
const FRESH_MS = 1_000
const SMALL_BYTES = 16_384
const FORBIDDEN_TRAILER = /^(?:content-length|transfer-encoding|connection|host|set-cookie|x-berth-.*|x-request-id)$/i

/** One client request and its answer, retried as often as is safe. */
export class Exchange implements UpstreamSink, Ongoing, WaitingExchange {
  index = -1
  readonly appEnvId: string
  private readonly context: ExchangeContext
  private readonly client: ClientRequest
  private readonly body: RequestBody | null
  private readonly startedAt = performance.now()
  /** When the app could first have begun its answer. */
  private sentAt = this.startedAt
  private excluded: Set<ReplicaPool> | null = null
  private group: ReplicaGroup
  private pool: ReplicaPool | null = null
  private connection: UpstreamConnection | null = null
  private lastFailure: FailureKind = 'refused'
  private retries = 0
  /** Since when the request waits for room at its app; null while it does not. */
  private waitingSince: number | null = null
  private hasSentHead = false
  private hasEnded = false

  constructor(context: ExchangeContext, client: ClientRequest, group: ReplicaGroup) {
    this.context = context
    this.client = client
    this.group = group
    this.appEnvId = group.route.appEnvId
    const { inbound, request, response } = client
    const refuseLarge = () => this.refuse(payloadTooLarge(context.bodyLimitBytes))
    this.body =
      inbound.body === 'none'
        ? null
        : new RequestBody(request, inbound.body === 'chunked', context.bodyLimitBytes, refuseLarge)
    response.on('close', () => this.abandon())
    context.ongoing.add(this)
    this.tryReplica()
  }

  onConnect(): void {
    if (this.connection) this.body?.sendTo(this.connection)
  }

  onInformational({ status, headers }: ResponseHead): void {
    const { inbound, request, response } = this.client
    if (status === 100 && inbound.expectsContinue) response.writeContinue()
    if (status !== 103 || request.httpVersion !== '1.1') return
    const links = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'link')
    try {
      response.writeEarlyHints({ link: links })
    } catch {
      // 103 Early Hints are optional, and Node throws on links that it finds malformed.
    }
  }

  onHead(head: ResponseHead): void {
    const { inbound, response } = this.client
    if (head.keepAliveSeconds !== null) this.connection?.limitIdle(head.keepAliveSeconds)
    if (this.context.isClosing) response.shouldKeepAlive = false
    const headers = withoutSharedCookies(head.headers, this.context.baseDomains)
    headers.push('X-Request-Id', inbound.requestId)
    try {
      response.writeHead(head.status, head.reason, headers)
    } catch (error) {
      // Node refuses characters that would let an app write headers, or a second answer, of its own.
      throw new MalformedResponse((error as Error).message)
    }
  }

  onBody(bytes: Buffer): void {
    const { response } = this.client
    this.hasSentHead = true
    if (response.write(Buffer.from(bytes))) return
    const { connection } = this
    connection?.pause()
    response.once('drain', () => connection?.resume())
  }

  onPause(): void {
    // The first byte of the body may take long (a stream of events), and the client waits for the head.
    if (this.hasSentHead || !this.client.response.headersSent) return
    this.hasSentHead = true
    this.client.response.flushHeaders()
  }

  onEnd(lastBytes: Buffer, trailers: string[], isReusable: boolean): void {
    const { response } = this.client
    if (trailers.length > 0) response.addTrailers(pairsOf(trailers))
    if (lastBytes.length === 0) response.end()
    // As text it is joined with the head and leaves in one system call, which is what a small answer costs most.
    else if (lastBytes.length <= SMALL_BYTES) response.end(lastBytes.toString('latin1'), 'latin1')
    else response.end(Buffer.from(lastBytes))
    this.release(isReusable && this.body?.isComplete !== false)
    this.end()
  }

  onSwitch(head: ResponseHead, firstBytes: Buffer): void {
    const { inbound, request, response, firstTunnelBytes } = this.client
    const { connection, pool, context } = this
    if (!inbound.isUpgrade || !connection || !pool) throw new MalformedResponse('it switched protocols unasked')
    const client = request.socket
    const tunnel: Ongoing = { index: -1, sweep: () => {}, destroy: () => client.destroy() }
    openTunnel({
      client,
      connection,
      head: { ...head, headers: withoutSharedCookies(head.headers, context.baseDomains) },
      requestId: inbound.requestId,
      fromClient: firstTunnelBytes,
      fromApp: firstBytes,
      idleMs: context.idleMs,
      onClose: () => {
        context.ongoing.remove(tunnel)
        context.clientLoad.leave(inbound.clientAddress)
        pool.release(connection, false, performance.now())
        context.waiting.proceed()
      },
    })
    response.detachSocket(client)
    response.statusCode = head.status
    context.ongoing.add(tunnel)
    this.end({ isTunnel: true })
  }

  onFailure(kind: FailureKind, error: Error): void {
    const { pool, connection, context } = this
    const now = performance.now()
    context.log.debug({ replica: pool?.target.name, kind, error: error.message }, 'ingress: a replica failed')
    if (kind === 'refused') pool?.coolDown(now)
    if (kind === 'exhausted') context.onExhausted(error)
    // A kept connection that the replica closed says nothing against the replica.
    else if (pool && !connection?.isReused) this.excluded = (this.excluded ?? new Set()).add(pool)
    this.lastFailure = kind
    this.release(false)
    if (this.mayRetry(kind)) this.retry()
    else this.refuse(kind === 'exhausted' ? hostExhausted() : brokenAnswer(this.group.route))
  }

  sweep(now: number): void {
    const { request, response } = this.client
    // An answer queued behind another on the same connection does not notice that the client left.
    if (request.socket.destroyed) this.abandon()
    if (this.hasEnded || response.headersSent) return
    const { answerSeconds } = this.context
    if (this.waitingSince !== null) {
      this.sweepWaiting(now, this.waitingSince)
      return
    }
    const lost = timedOutParty({ startedAt: this.sentAt, body: this.body }, now, answerSeconds * 1000)
    if (lost === 'app') this.refuse(answerTimeout(this.group.route, answerSeconds))
    if (lost === 'client') this.refuse(requestTimeout())
  }

  destroy(): void {
    this.client.request.socket.destroy()
    this.abandon()
  }

  private tryReplica(): void {
    const now = performance.now()
    const pool = this.group.pick(this.excluded, now)
    if (!pool) {
      const { route } = this.group
      this.refuse(this.lastFailure === 'refused' ? replicasRefused(route) : brokenAnswer(route))
      return
    }
    if (this.context.upstreams.hasRoom(pool, this.group)) this.send(pool, now)
    else this.wait(now)
  }

  private send(pool: ReplicaPool, now: number): void {
    const { inbound } = this.client
    const maxIdleMs = this.retries > 0 ? -1 : inbound.isIdempotent ? Number.POSITIVE_INFINITY : FRESH_MS
    const connection = this.context.upstreams.take(pool, now, maxIdleMs)
    this.pool = pool
    this.connection = connection
    connection.begin(inbound.head, inbound.method, this)
    if (connection.isConnected) this.body?.sendTo(connection)
  }

  private wait(now: number): void {
    if (this.context.waiting.join(this)) this.waitingSince = now
    else this.refuse(tooManyConnections(this.group.route))
  }

  tryProceed(): boolean {
    const { upstreams } = this.context
    // The replicas may have been replaced while it waited.
    this.group = upstreams.find(this.client.inbound.hostName) ?? this.group
    const now = performance.now()
    const pool = this.group.pick(this.excluded, now)
    if (pool && !upstreams.hasRoom(pool, this.group)) return false
    this.stopWaiting()
    this.sentAt = now
    if (this.body) this.body.lastByteAt = now
    if (pool) this.send(pool, now)
    else this.refuse(notServing(this.group.route))
    return true
  }

  private stopWaiting(): void {
    if (this.waitingSince === null) return
    this.waitingSince = null
    this.context.waiting.leave(this)
  }

  private sweepWaiting(now: number, since: number): void {
    if (this.tryProceed() || now - since < this.context.queueMs) return
    this.refuse(tooManyConnections(this.group.route))
  }

  private mayRetry(kind: FailureKind): boolean {
    if (this.hasEnded || this.body?.isStarted || this.retries >= MAX_RETRIES) return false
    return kind === 'refused' || (kind === 'reset' && this.client.inbound.isIdempotent)
  }

  private retry(): void {
    this.retries += 1
    this.context.metrics.retried()
    this.body?.stop()
    // The replicas may have been replaced since the first try, which may be why they refuse.
    this.group = this.context.upstreams.find(this.client.inbound.hostName) ?? this.group
    if (this.group.isEmpty) this.refuse(notServing(this.group.route))
    else this.tryReplica()
  }

  /** Ends the exchange with an answer of our own, or by breaking off the one that has begun. */
  private refuse(problem: Problem): void {
    if (this.hasEnded) return
    const { inbound, request, response } = this.client
    this.stopWaiting()
    this.release(false)
    if (response.headersSent) response.destroy()
    else {
      if (problem.status === 408) response.shouldKeepAlive = false
      this.context.metrics.refused(problem.code)
      answerProblem(request, response, problem, inbound.requestId)
    }
    this.end()
  }

  /** The client has left: the app need not go on. */
  private abandon(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.stopWaiting()
    this.context.ongoing.remove(this)
    this.context.metrics.clientLeft()
    this.context.clientLoad.leave(this.client.inbound.clientAddress)
    this.body?.stop()
    this.release(false)
  }

  private end({ isTunnel = false } = {}): void {
    this.hasEnded = true
    if (!isTunnel) this.context.clientLoad.leave(this.client.inbound.clientAddress)
    this.context.ongoing.remove(this)
    this.body?.discard()
    this.context.metrics.answered(this.client.response.statusCode, (performance.now() - this.startedAt) / 1000)
  }

  private release(isReusable: boolean): void {
    const { pool, connection } = this
    this.connection = null
    this.pool = null
    if (!pool || !connection) return
    pool.release(connection, isReusable, performance.now())
    this.context.waiting.proceed()
  }
}

/** Without the trailers that may not be any (RFC 9110 §6.5.1): a proxy behind us could take them for framing. */
function pairsOf(trailers: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < trailers.length; index += 2) {
    const [name, value] = [trailers[index] as string, trailers[index + 1] as string]
    if (!FORBIDDEN_TRAILER.test(name)) pairs.push([name, value])
  }
  return pairs
}
