import type { AppLoad } from '../activator/app-load.ts'
import type { ReplicaGroup } from '../upstreams/replica-group.ts'
import type { ReplicaPool } from '../upstreams/replica-pool.ts'
import { MalformedResponse, type ResponseHead } from '../upstreams/response-head.ts'
import type { FailureKind, UpstreamConnection, UpstreamSink } from '../upstreams/upstream-connection.ts'
import { writeEarlyHints } from './early-hints.ts'
import type { ClientRequest, ExchangeContext } from './exchange-context.ts'
import { heldBytesOf } from './inbound-request.ts'
import type { Ongoing } from './ongoing.ts'
import { answerProblem } from './problem-answer.ts'
import {
  answerTimeout,
  brokenAnswer,
  hostExhausted,
  hostNotFound,
  notServing,
  type Problem,
  payloadTooLarge,
  queueFull,
  replicasRefused,
  requestTimeout,
  tooManyConnections,
  wakeFailed,
  wakeTimeout,
} from './problems.ts'
import { QueueTime } from './queue-time.ts'
import { RequestBody } from './request-body.ts'
import { withoutSharedCookies } from './shared-cookies.ts'
import { timedOutParty } from './timed-out-party.ts'
import { pairsOf } from './trailers.ts'
import { openTunnel } from './tunnel.ts'
import { APP_QUEUE, type WaitingExchange } from './waiting-exchanges.ts'

const MAX_RETRIES = 16
// A request that must not be sent twice only uses a connection that was active a moment ago: then the upstream cannot
// be about to close it as idle.
const FRESH_MS = 1_000
const SMALL_BYTES = 16_384
/** How long a container that refused is not tried again by a request that waits for another. */
const EXCLUDED_MS = 1_000

/** One client request and its answer, retried as often as is safe. */
export class Exchange implements UpstreamSink, Ongoing, WaitingExchange {
  index = -1
  readonly appEnvId: string
  readonly heldBytes: number
  private readonly context: ExchangeContext
  private readonly client: ClientRequest
  private readonly body: RequestBody | null
  private readonly startedAt = performance.now()
  /** When the app could first have begun its answer. */
  private sentAt = this.startedAt
  private excluded: Set<ReplicaPool> | null = null
  private excludedAt = 0
  private group: ReplicaGroup
  private pool: ReplicaPool | null = null
  private connection: UpstreamConnection | null = null
  private lastFailure: FailureKind = 'refused'
  private retries = 0
  private readonly queued = new QueueTime()
  /** Where it is counted; null for an app that does not sleep. */
  private load: AppLoad | null
  private isInFlight = false
  private hasSentHead = false
  private hasEnded = false

  constructor(context: ExchangeContext, client: ClientRequest, group: ReplicaGroup) {
    this.context = context
    this.client = client
    this.group = group
    this.appEnvId = group.route.appEnvId
    this.load = context.activator.loadOf(group.route)
    this.heldBytes = heldBytesOf(client.inbound)
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
    writeEarlyHints(response, headers)
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
    const { connection, pool, context, load } = this
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
        load?.end(pool.target.name, performance.now())
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
    else if (pool && !connection?.isReused) {
      this.excluded = (this.excluded ?? new Set()).add(pool)
      this.excludedAt = now
    }
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
    const { since, first } = this.queued
    if (since !== null) this.sweepWaiting(now, first ?? since)
    const answerSeconds = this.group.route.scaling?.timeoutSeconds ?? this.context.answerSeconds
    const sent = { startedAt: this.sentAt, body: this.body }
    const lost = since === null ? timedOutParty(sent, now, answerSeconds * 1000) : null
    if (lost === 'app') this.refuse(answerTimeout(this.group.route, answerSeconds))
    if (lost === 'client') this.refuse(requestTimeout())
  }

  destroy(): void {
    this.client.request.socket.destroy()
    this.abandon()
  }

  private tryReplica(): void {
    const now = performance.now()
    const { route } = this.group
    const pool = this.group.pick(this.excluded, now)
    if (pool ? !this.hasRoom(pool) : route.scaling) this.wait(now)
    else if (pool) this.send(pool, now)
    else this.refuse(this.lastFailure === 'refused' ? replicasRefused(route) : brokenAnswer(route))
  }

  private hasRoom(pool: ReplicaPool): boolean {
    if (!this.context.upstreams.hasRoom(pool, this.group)) return false
    return !this.load || pool.outstanding < this.load.share
  }

  private send(pool: ReplicaPool, now: number): void {
    const { inbound } = this.client
    const maxIdleMs = this.retries > 0 ? -1 : inbound.isIdempotent ? Number.POSITIVE_INFINITY : FRESH_MS
    const connection = this.context.upstreams.take(pool, now, maxIdleMs)
    this.pool = pool
    this.connection = connection
    if (this.load) {
      this.load.begin(pool.target.name, now)
      this.isInFlight = true
      this.context.activator.ask(this.load)
    }
    connection.begin(inbound.head, inbound.method, this)
    if (connection.isConnected) this.body?.sendTo(connection)
  }

  /** For room at a container or, where requests decide how many there are, for one more. */
  private wait(now: number): void {
    const { waiting, wakeQueue, activator } = this.context
    const { route } = this.group
    this.load ??= activator.loadOf(route)
    const { load } = this
    const pauseMs = load?.pauseMs(now) ?? 0
    if (pauseMs > 0) this.refuse(wakeFailed(route, pauseMs))
    else if (!waiting.join(this, load ? wakeQueue : APP_QUEUE))
      this.refuse(load ? queueFull(route) : tooManyConnections(route))
    else {
      this.queued.begin(now)
      load?.beginWaiting(now)
      if (load) activator.ask(load)
    }
  }

  tryProceed(): boolean {
    const { upstreams } = this.context
    const now = performance.now()
    // The replicas may have been replaced while it waited.
    const found = upstreams.find(this.client.inbound.hostName)
    if (this.load && (found !== this.group || now - this.excludedAt > EXCLUDED_MS)) this.excluded = null
    this.group = found ?? this.group
    const { route } = this.group
    const pool = this.group.pick(this.excluded, now)
    const pauseMs = this.load?.pauseMs(now) ?? 0
    if (pool ? !this.hasRoom(pool) : found && route.scaling && pauseMs === 0) return false
    this.stopWaiting()
    this.sentAt = now
    if (this.body) this.body.lastByteAt = now
    if (pool) this.send(pool, now)
    else if (!found) this.refuse(hostNotFound(this.client.inbound.hostName))
    else this.refuse(pauseMs > 0 ? wakeFailed(route, pauseMs) : notServing(route))
    return true
  }

  private stopWaiting(): void {
    if (!this.queued.end(performance.now())) return
    this.context.waiting.leave(this)
    this.load?.endWaiting(performance.now())
  }

  private sweepWaiting(now: number, since: number): void {
    const { queueMs, wakeQueue } = this.context
    if (this.tryProceed() || now - since < (this.load ? wakeQueue.ms : queueMs)) return
    const { route } = this.group
    const isAsleep = this.load && route.targets.length === 0
    this.refuse(isAsleep ? wakeTimeout(route, wakeQueue.ms / 1000) : tooManyConnections(route))
  }

  private mayRetry(kind: FailureKind): boolean {
    // One that waits for a container is bounded by the time that it may wait.
    if (this.hasEnded || this.body?.isStarted || (this.retries >= MAX_RETRIES && !this.load)) return false
    return kind === 'refused' || (kind === 'reset' && this.client.inbound.isIdempotent)
  }

  private retry(): void {
    this.retries += 1
    this.context.metrics.retried()
    this.body?.stop()
    // The replicas may have been replaced since the first try, which may be why they refuse.
    this.group = this.context.upstreams.find(this.client.inbound.hostName) ?? this.group
    if (this.group.isEmpty && !this.group.route.scaling) this.refuse(notServing(this.group.route))
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
    this.count(null)
    this.context.clientLoad.leave(this.client.inbound.clientAddress)
    this.body?.stop()
    this.release(false)
  }

  private end({ isTunnel = false } = {}): void {
    this.hasEnded = true
    if (!isTunnel) this.context.clientLoad.leave(this.client.inbound.clientAddress)
    this.context.ongoing.remove(this)
    this.body?.discard()
    this.count(this.client.response.statusCode)
  }

  /** Null: the client left. */
  private count(status: number | null): void {
    const ms = performance.now() - this.startedAt
    this.context.metrics.ended(status, ms / 1000)
    this.load?.answered((status ?? 0) >= 500, ms, this.queued.passedMs)
  }

  private release(isReusable: boolean): void {
    const { pool, connection } = this
    this.connection = null
    this.pool = null
    if (!pool || !connection) return
    const now = performance.now()
    if (this.isInFlight) this.load?.end(pool.target.name, now)
    this.isInFlight = false
    pool.release(connection, isReusable, now)
    this.context.waiting.proceed()
  }
}
