import type { AppLoad } from '../activator/app-load.ts'
import { MalformedMessage } from '../header-lines.ts'
import type { ReplicaGroup } from '../upstreams/replica-group.ts'
import type { ReplicaPool } from '../upstreams/replica-pool.ts'
import type { ResponseHead } from '../upstreams/response-head.ts'
import type { FailureKind, UpstreamConnection, UpstreamSink } from '../upstreams/upstream-connection.ts'
import { trailersOfApp } from './chunked-body.ts'
import type { ClientRequest, RequestOwner } from './client-connection.ts'
import { countEnded, countPassed } from './count-request.ts'
import type { ExchangeContext } from './exchange-context.ts'
import { heldBytesOf, type InboundRequest } from './inbound-request.ts'
import type { Ongoing } from './ongoing.ts'
import { answerProblem } from './problem-answer.ts'
import {
  answerTimeout,
  brokenAnswer,
  cannotWake,
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
import { RequestBody } from './request-body.ts'
import { withoutSharedCookies } from './shared-cookies.ts'
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
export class Exchange implements UpstreamSink, RequestOwner, Ongoing, WaitingExchange {
  index = -1
  readonly appEnvId: string
  readonly heldBytes: number
  private readonly context: ExchangeContext
  private readonly request: ClientRequest
  private readonly inbound: InboundRequest
  private readonly body: RequestBody | null
  private readonly startedAt = performance.now()
  /** When the app could first have begun its answer. */
  private sentAt = this.startedAt
  private excluded: Set<ReplicaPool> | null = null
  private excludedAt = 0
  private group: ReplicaGroup
  private pool: ReplicaPool | null = null
  /** The replica that was asked last. */
  private asked: ReplicaPool | null = null
  /** Of the answer's body. */
  private answeredBytes = 0
  private connection: UpstreamConnection | null = null
  private lastFailure: FailureKind = 'refused'
  private retries = 0
  private readonly queued = new QueueTime()
  /** Where it is counted; null for an app that does not sleep. */
  private load: AppLoad | null
  private isInFlight = false
  private hasEnded = false

  constructor(context: ExchangeContext, request: ClientRequest, inbound: InboundRequest, group: ReplicaGroup) {
    this.context = context
    this.request = request
    this.inbound = inbound
    this.group = group
    this.appEnvId = group.route.appEnvId
    this.load = context.activator.loadOf(group.route)
    this.heldBytes = heldBytesOf(inbound)
    const refuseLarge = () => this.refuse(payloadTooLarge(context.bodyLimitBytes))
    const { body } = request
    this.body = body && new RequestBody(body, inbound.body === 'chunked', context.bodyLimitBytes, refuseLarge)
    request.connection.own(this)
    context.ongoing.add(this)
    this.tryReplica()
  }

  onConnect(): void {
    if (this.connection) this.body?.sendTo(this.connection)
  }

  onInformational({ status, headers }: ResponseHead): void {
    const { answer } = this.request
    if (status === 100 && this.inbound.expectsContinue) answer.writeInterim(100, 'Continue', [])
    if (status === 103) answer.writeInterim(103, 'Early Hints', linksOf(headers))
  }

  onHead(head: ResponseHead): void {
    const { status, reason, framing, hasDate, keepAliveSeconds } = head
    if (keepAliveSeconds !== null) this.connection?.limitIdle(keepAliveSeconds)
    const headers = withoutSharedCookies(head.headers, this.context.baseDomains)
    headers.push('X-Request-Id', this.inbound.requestId)
    const length = framing.by === 'nothing' ? null : framing.by === 'length' ? 'given' : 'unknown'
    this.request.answer.begin({ status, reason, headers, length, hasDate })
  }

  onBody(bytes: Buffer): void {
    this.answeredBytes += bytes.length
    if (!this.request.answer.write(Buffer.from(bytes))) this.connection?.pause()
  }

  onDrain(): void {
    this.connection?.resume()
  }

  onPause(): void {
    // The first byte of the body may take long (a stream of events), and the client waits for the head.
    this.request.answer.flush()
  }

  onEnd(lastBytes: Buffer, trailers: string[], isReusable: boolean): void {
    this.answeredBytes += lastBytes.length
    const last = lastBytes.length <= SMALL_BYTES ? lastBytes.toString('latin1') : Buffer.from(lastBytes)
    this.release(isReusable && this.body?.isComplete !== false)
    this.end()
    this.request.answer.end(last, trailers.length > 0 ? trailersOfApp(trailers) : trailers)
  }

  onSwitch(head: ResponseHead, firstBytes: Buffer): void {
    const { inbound, request, connection, pool, context, load, group } = this
    if (!request.isUpgrade || !connection || !pool) throw new MalformedMessage('it switched protocols unasked')
    const client = request.connection.socket
    const fromClient = request.connection.detach()
    const { socket } = connection
    const before = { written: socket.bytesWritten, read: socket.bytesRead - firstBytes.length }
    const tunnel: Ongoing = { index: -1, sweep: () => {}, destroy: () => client.destroy() }
    openTunnel({
      client,
      connection,
      head: { ...head, headers: withoutSharedCookies(head.headers, context.baseDomains) },
      requestId: inbound.requestId,
      fromClient,
      fromApp: firstBytes,
      ...context.tunnels,
      onClose: () => {
        context.ongoing.remove(tunnel)
        context.clientLoad.leave(inbound.clientAddress)
        load?.end(pool.target.name, performance.now())
        countPassed(context.traffic, group, pool, socket.bytesWritten - before.written, socket.bytesRead - before.read)
        pool.release(connection, false, performance.now())
        context.waiting.proceed()
      },
    })
    request.answer.status = head.status
    context.ongoing.add(tunnel)
    this.end(head.status, { isTunnel: true })
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
    if (this.hasEnded || this.request.answer.hasBegun) return
    const { since, first } = this.queued
    if (since !== null) this.sweepWaiting(now, first ?? since)
    const answerSeconds = this.group.route.scaling?.timeoutSeconds ?? this.context.answerSeconds
    const sent = { startedAt: this.sentAt, body: this.body }
    const lost = since === null ? timedOutParty(sent, now, answerSeconds * 1000) : null
    if (lost === 'app') this.refuse(answerTimeout(this.group.route, answerSeconds))
    if (lost === 'client') this.refuse(requestTimeout())
  }

  destroy(): void {
    this.request.connection.breakOff()
    this.onGone()
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
    const { inbound } = this
    const maxIdleMs = this.retries > 0 ? -1 : inbound.isIdempotent ? Number.POSITIVE_INFINITY : FRESH_MS
    const connection = this.context.upstreams.take(pool, now, maxIdleMs)
    this.pool = pool
    this.asked = pool
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
    const found = upstreams.find(this.inbound.hostName)
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
    else if (!found) this.refuse(hostNotFound(this.inbound.hostName))
    else this.refuse(pauseMs > 0 ? wakeFailed(route, pauseMs) : notServing(route))
    return true
  }

  private stopWaiting(): void {
    if (!this.queued.end(performance.now())) return
    this.context.waiting.leave(this)
    this.load?.endWaiting(performance.now())
  }

  private sweepWaiting(now: number, since: number): void {
    const { queueMs, wakeQueue, activator } = this.context
    if (this.tryProceed()) return
    const { route } = this.group
    const isAsleep = this.load !== null && route.targets.length === 0
    const isHopeless = isAsleep && activator.isForbidden
    if (!isHopeless && now - since < (this.load ? wakeQueue.ms : queueMs)) return
    if (isHopeless) this.refuse(cannotWake(route, true))
    else if (!isAsleep) this.refuse(tooManyConnections(route))
    else this.refuse(activator.problem ? cannotWake(route, false) : wakeTimeout(route, wakeQueue.ms / 1000))
  }

  private mayRetry(kind: FailureKind): boolean {
    // One that waits for a container is bounded by the time that it may wait.
    if (this.hasEnded || this.body?.isStarted || (this.retries >= MAX_RETRIES && !this.load)) return false
    return kind === 'refused' || (kind === 'reset' && this.inbound.isIdempotent)
  }

  private retry(): void {
    this.retries += 1
    this.context.metrics.retried()
    this.body?.stop()
    // The replicas may have been replaced since the first try, which may be why they refuse.
    this.group = this.context.upstreams.find(this.inbound.hostName) ?? this.group
    if (this.group.isEmpty && !this.group.route.scaling) this.refuse(notServing(this.group.route))
    else this.tryReplica()
  }

  /** Ends the exchange with an answer of our own, or by breaking off the one that has begun. */
  private refuse(problem: Problem): void {
    if (this.hasEnded) return
    const { answer, connection } = this.request
    this.stopWaiting()
    this.release(false)
    this.end(answer.hasBegun ? answer.status : problem.status)
    if (answer.hasBegun) connection.breakOff()
    else {
      if (problem.status === 408) answer.keepsAlive = false
      this.context.metrics.refused(problem.code)
      answerProblem(this.request, problem, this.inbound.requestId)
    }
  }

  onMalformedBody(problem: Problem): void {
    this.refuse(problem)
  }

  /** The app need not go on. */
  onGone(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.stopWaiting()
    this.context.ongoing.remove(this)
    this.count(null)
    this.context.clientLoad.leave(this.inbound.clientAddress)
    this.body?.stop()
    this.release(false)
  }

  private end(status = this.request.answer.status, { isTunnel = false } = {}): void {
    this.hasEnded = true
    if (!isTunnel) this.context.clientLoad.leave(this.inbound.clientAddress)
    this.context.ongoing.remove(this)
    const { body, connection } = this.request
    if (body && !body.isComplete) {
      this.body?.stop()
      connection.discard(body)
    }
    this.count(status)
  }

  /** Null: the client left. */
  private count(status: number | null): void {
    const ms = performance.now() - this.startedAt
    this.context.metrics.ended(status, ms / 1000)
    countEnded(this.context.traffic, this.group, this.asked, {
      status,
      ms,
      bytesIn: this.body?.bytes ?? 0,
      bytesOut: this.answeredBytes,
    })
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

/** Of an app's 103, the links are passed on. */
const linksOf = (headers: readonly string[]): string[] =>
  headers.filter((_, index) => headers[index - (index % 2)]?.toLowerCase() === 'link')

/** How long a request waits for room at its app, or for a container. It may have to several times. */
class QueueTime {
  /** Null while it does not wait. */
  since: number | null = null
  /** When it first had to. */
  first: number | null = null
  /** Of what is over. */
  passedMs = 0

  begin(now: number): void {
    this.since = now
    this.first ??= now
  }

  /** False when it did not wait. */
  end(now: number): boolean {
    if (this.since === null) return false
    this.passedMs += now - this.since
    this.since = null
    return true
  }
}

export interface PendingExchange {
  startedAt: number
  /** Null for a request without a body. */
  body: { bytes: number; isComplete: boolean; isHeldBack: boolean; lastByteAt: number } | null
}

// An upload that has not been answered may be slow, but not endlessly so: it holds a connection of the app.
const SLOWEST_UPLOAD = { bytesPerSecond: 500, graceMs: 30_000 }

/** Whose turn it was when the time ran out, for a request whose answer has not begun. Times in milliseconds. */
export function timedOutParty(
  { startedAt, body }: PendingExchange,
  now: number,
  answerMs: number,
): 'app' | 'client' | null {
  const waitsForApp = !body || body.isComplete || body.isHeldBack
  if (now - (body?.lastByteAt ?? startedAt) > answerMs) return waitsForApp ? 'app' : 'client'
  if (waitsForApp) return null
  const uploadingMs = now - startedAt - SLOWEST_UPLOAD.graceMs
  return uploadingMs > 0 && body.bytes < (uploadingMs / 1000) * SLOWEST_UPLOAD.bytesPerSecond ? 'client' : null
}
