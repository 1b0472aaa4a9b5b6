import type { AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { ClientLoad } from '../domain/client-load.ts'
import { ingressHost } from '../domain/listen-address.ts'
import { TrustedProxies } from '../domain/trusted-proxies.ts'
import { limitConnections } from '../network/limit-connections.ts'
import { Activator, type LoadReports } from './activator/activator.ts'
import type { ClientRequest } from './http1/client-connection.ts'
import { ClientServer } from './http1/client-server.ts'
import { countRefused } from './http1/count-request.ts'
import { Exchange } from './http1/exchange.ts'
import type { ExchangeContext } from './http1/exchange-context.ts'
import { HeldRequests } from './http1/held-requests.ts'
import { readRequest, requestIdOf } from './http1/inbound-request.ts'
import { IngressMetrics } from './http1/ingress-metrics.ts'
import { OngoingList } from './http1/ongoing.ts'
import { answerProblem } from './http1/problem-answer.ts'
import {
  hostNotFound,
  notServing,
  Problem,
  payloadTooLarge,
  tableNotLoaded,
  tooManyFromClient,
} from './http1/problems.ts'
import { WaitingExchanges } from './http1/waiting-exchanges.ts'
import type { CurrentTable } from './routes/route-table.ts'
import { TrafficLog, type TrafficReports } from './traffic/traffic-log.ts'
import type { ReplicaGroup } from './upstreams/replica-group.ts'
import { Upstreams } from './upstreams/upstreams.ts'

export interface IngressOptions {
  config: Pick<
    Config,
    | 'HOST'
    | 'BERTH_INGRESS_HOST'
    | 'INGRESS_PORT'
    | 'BERTH_DOMAIN'
    | 'BERTH_EXTRA_DOMAINS'
    | 'BERTH_INGRESS_BODY_LIMIT_MB'
    | 'BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS'
    | 'BERTH_INGRESS_IDLE_SECONDS'
    | 'BERTH_INGRESS_KEEPALIVE_SECONDS'
    | 'BERTH_INGRESS_TUNNEL_IDLE_SECONDS'
    | 'BERTH_INGRESS_MAX_CONNECTIONS'
    | 'BERTH_INGRESS_CONNECTIONS_PER_REPLICA'
    | 'BERTH_INGRESS_CONNECTIONS_PER_CLIENT'
    | 'BERTH_INGRESS_QUEUE_SECONDS'
    | 'BERTH_WAKE_QUEUE_REQUESTS'
    | 'BERTH_WAKE_QUEUE_MB'
    | 'BERTH_WAKE_QUEUE_SECONDS'
    | 'BERTH_TRUSTED_PROXIES'
  >
  source: CurrentTable
  log: Logger
  registry: Registry
  /** Where requests for apps that sleep are reported; without it, none is woken. */
  reports?: LoadReports | undefined
  /** Where requests to web apps are reported; without it, they are only counted. */
  traffic?: TrafficReports | undefined
  /** What the descriptors of this process allow; without it, only the settings count. */
  capacity?: IngressCapacity | undefined
}

export interface IngressCapacity {
  /** Connections to replicas. */
  maxUpstreams: number
  /** Connections of clients. */
  maxClients: number
}

export interface Ingress {
  server: Server
  listen(): Promise<void>
  address(): AddressInfo
  /** Why requests for apps that sleep cannot be reported; null when they can. */
  reportProblem(): Error | null
  /** Stops accepting, lets requests end within the time, then ends them. */
  close(drainSeconds: number): Promise<void>
}

const SWEEP_MS = 250
const EXHAUSTED_LOG_MS = 10_000
const NO_REPORTS: LoadReports = { report: async () => ({}), close: async () => {} }
const NO_TRAFFIC: TrafficReports = { report: async () => {}, close: async () => {} }

/** The proxy between clients and replicas: routes by the Host header and the source's newest route table. */
export function createIngress(options: IngressOptions): Ingress {
  const { config, source, log, registry, capacity, reports = NO_REPORTS, traffic = NO_TRAFFIC } = options
  const maxClients = Math.min(config.BERTH_INGRESS_MAX_CONNECTIONS, capacity?.maxClients ?? Number.POSITIVE_INFINITY)
  const upstreams = new Upstreams({
    perReplica: config.BERTH_INGRESS_CONNECTIONS_PER_REPLICA,
    // One for each client is enough, because a client connection is served one request at a time.
    total: Math.min(maxClients, capacity?.maxUpstreams ?? Number.POSITIVE_INFINITY),
  })
  const ongoing = new OngoingList()
  const waiting = new WaitingExchanges()
  const activator = new Activator(reports, log)
  const perClient = config.BERTH_INGRESS_CONNECTIONS_PER_CLIENT
  const keepAliveMs = config.BERTH_INGRESS_KEEPALIVE_SECONDS * 1000
  const context: ExchangeContext = {
    upstreams,
    ongoing,
    waiting,
    queueMs: config.BERTH_INGRESS_QUEUE_SECONDS * 1000,
    activator,
    wakeQueue: {
      requests: config.BERTH_WAKE_QUEUE_REQUESTS,
      bytes: config.BERTH_WAKE_QUEUE_MB * 1_048_576,
      ms: config.BERTH_WAKE_QUEUE_SECONDS * 1000,
    },
    clientLoad: new ClientLoad(perClient),
    onExhausted: reportExhausted(upstreams, log),
    metrics: new IngressMetrics(registry, ongoing, waiting),
    traffic: new TrafficLog(traffic, log),
    log,
    bodyLimitBytes: config.BERTH_INGRESS_BODY_LIMIT_MB * 1_048_576,
    baseDomains: [config.BERTH_DOMAIN, ...config.BERTH_EXTRA_DOMAINS],
    answerSeconds: config.BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS,
    tunnels: { idleMs: config.BERTH_INGRESS_TUNNEL_IDLE_SECONDS * 1000, keepAliveMs },
  }
  const proxies = new TrustedProxies(config.BERTH_TRUSTED_PROXIES)
  const held = new HeldRequests(source)
  const limits = { maxConnections: maxClients, idleMs: config.BERTH_INGRESS_IDLE_SECONDS * 1000, keepAliveMs }
  const clients = new ClientServer(limits, (request) => {
    if (surplus.has(request.connection.socket)) refuse(context, request, tooManyFromClient(perClient))
    else serve(context, proxies, held, request)
  })
  const { server } = clients
  const surplus = limitConnections(server, proxies, perClient)
  const unfollow = source.follow((table) => {
    activator.apply(table)
    upstreams.apply(table)
    waiting.proceedAll()
  })
  const sweeper = setInterval(() => {
    const now = performance.now()
    ongoing.sweep(now)
    upstreams.closeStale(now)
    clients.sweep(now)
  }, SWEEP_MS).unref()

  return {
    server,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(config.INGRESS_PORT, ingressHost(config), () => {
          server.off('error', reject)
          resolve()
        })
      }),
    address: () => server.address() as AddressInfo,
    reportProblem: () => activator.problem,
    async close(drainSeconds) {
      const closed = clients.close()
      await Promise.race([closed, sleep(drainSeconds * 1000, undefined, { ref: false })])
      ongoing.destroy()
      clearInterval(sweeper)
      unfollow()
      clients.destroy()
      upstreams.close()
      await Promise.all([closed, activator.close()])
      // After the last request has ended.
      await context.traffic.close()
    },
  }
}

function reportExhausted(upstreams: Upstreams, log: Logger): (error: Error) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    upstreams.closeIdle()
    const now = performance.now()
    if (now - loggedAt < EXHAUSTED_LOG_MS) return
    loggedAt = now
    log.error({ error: error.message }, 'ingress: this machine cannot open more connections; apps are not to blame')
  }
}

function serve(context: ExchangeContext, proxies: TrustedProxies, held: HeldRequests, request: ClientRequest): void {
  const refusal = admit(context, proxies, request)
  if (!refusal) return
  const proceed = () => {
    const lasting = admit(context, proxies, request)
    if (lasting) answerRefusal(context, request, lasting)
  }
  if (!refusal.isByTable || !held.tryHold(request.connection, proceed)) answerRefusal(context, request, refusal)
}

/** Refuses a request unread, and the connection with it. */
function refuse(context: ExchangeContext, request: ClientRequest, problem: Problem): void {
  request.connection.stop()
  answerRefusal(context, request, { problem, requestId: requestIdOf(request.head) })
}

interface Refusal {
  problem: Problem
  requestId: string
  /** A newer table may route the request. */
  isByTable?: boolean
  /** The app that was asked for, where that is known. */
  group?: ReplicaGroup
}

function answerRefusal(context: ExchangeContext, request: ClientRequest, refusal: Refusal): void {
  const { connection, body } = request
  const { problem, requestId, group } = refusal
  const { metrics, traffic } = context
  // Where this request ends is in doubt, so nothing after it can be trusted to be one.
  if (problem.code === 'BAD_REQUEST') connection.stop()
  metrics.refused(problem.code)
  metrics.ended(problem.status, 0)
  if (group) countRefused(traffic, group, problem.status)
  if (body) connection.discard(body)
  answerProblem(request, problem, requestId)
}

/** Starts the exchange, or says why there can be none. */
function admit(context: ExchangeContext, proxies: TrustedProxies, request: ClientRequest): Refusal | null {
  const requestId = requestIdOf(request.head)
  const inbound = readRequest(request, requestId, proxies)
  if (inbound instanceof Problem) return { problem: inbound, requestId }
  const { upstreams, bodyLimitBytes } = context
  if (inbound.contentLength > bodyLimitBytes) return { problem: payloadTooLarge(bodyLimitBytes), requestId }
  const group = upstreams.find(inbound.hostName)
  if (!group && !upstreams.hasTable) return { problem: tableNotLoaded(), requestId }
  if (!group) return { problem: hostNotFound(inbound.hostName), requestId, isByTable: true }
  if (group.isEmpty && !group.route.scaling)
    return { problem: notServing(group.route), requestId, isByTable: true, group }
  if (!context.clientLoad.tryEnter(inbound.clientAddress))
    return { problem: tooManyFromClient(context.clientLoad.most), requestId, group }
  new Exchange(context, request, inbound, group)
  return null
}
