import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { createClientServer } from './http1/client-server.ts'
import { discardBody } from './http1/discard-body.ts'
import { Exchange } from './http1/exchange.ts'
import type { ExchangeContext } from './http1/exchange-context.ts'
import { TrustedProxies } from './http1/forwarding.ts'
import { readRequest, requestIdOf } from './http1/inbound-request.ts'
import { IngressMetrics } from './http1/ingress-metrics.ts'
import { OngoingList } from './http1/ongoing.ts'
import { answerProblem } from './http1/problem-answer.ts'
import { hostNotFound, notServing, Problem, payloadTooLarge, tableNotLoaded } from './http1/problems.ts'
import type { CurrentTable } from './routes/route-table.ts'
import { Upstreams } from './upstreams/upstreams.ts'

export interface IngressOptions {
  config: Pick<
    Config,
    | 'HOST'
    | 'INGRESS_PORT'
    | 'BERTH_INGRESS_BODY_LIMIT_MB'
    | 'BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS'
    | 'BERTH_INGRESS_IDLE_SECONDS'
    | 'BERTH_INGRESS_MAX_CONNECTIONS'
    | 'BERTH_TRUSTED_PROXIES'
  >
  source: CurrentTable
  log: Logger
  registry: Registry
}

export interface Ingress {
  server: Server
  listen(): Promise<void>
  address(): AddressInfo
  /** Stops accepting, lets requests end within the time, then ends them. */
  close(drainSeconds: number): Promise<void>
}

const SWEEP_MS = 250
const NO_BYTES = Buffer.alloc(0)

/** The proxy between clients and replicas: routes by the Host header and the source's newest route table. */
export function createIngress({ config, source, log, registry }: IngressOptions): Ingress {
  const upstreams = new Upstreams()
  const ongoing = new OngoingList()
  const context: ExchangeContext = {
    upstreams,
    ongoing,
    metrics: new IngressMetrics(registry, ongoing),
    log,
    bodyLimitBytes: config.BERTH_INGRESS_BODY_LIMIT_MB * 1_048_576,
    answerSeconds: config.BERTH_INGRESS_HEADERS_TIMEOUT_SECONDS,
    idleMs: config.BERTH_INGRESS_IDLE_SECONDS * 1000,
    isClosing: false,
  }
  const proxies = new TrustedProxies(config.BERTH_TRUSTED_PROXIES)
  // An app that is still within its time to answer makes for a silent connection, too.
  const idleMs = Math.max(context.idleMs, (context.answerSeconds + 1) * 1000)
  const limits = { maxConnections: config.BERTH_INGRESS_MAX_CONNECTIONS, idleMs }

  const server = createClientServer(limits, (request, response, tunnelBytes) => {
    if (context.isClosing) response.shouldKeepAlive = false
    const refusal = admit(context, proxies, request, response, tunnelBytes)
    if (!refusal) return
    // Where this request ends is in doubt, so nothing after it can be trusted to be one.
    if (refusal.problem.code === 'BAD_REQUEST') response.shouldKeepAlive = false
    context.metrics.refused(refusal.problem.code)
    context.metrics.answered(refusal.problem.status, 0)
    answerProblem(request, response, refusal.problem, refusal.requestId)
    discardBody(request)
  })
  const unfollow = source.follow((table) => upstreams.apply(table))
  const sweeper = setInterval(() => {
    const now = performance.now()
    ongoing.sweep(now)
    upstreams.closeStale(now)
  }, SWEEP_MS).unref()

  return {
    server,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(config.INGRESS_PORT, config.HOST, () => {
          server.off('error', reject)
          resolve()
        })
      }),
    address: () => server.address() as AddressInfo,
    async close(drainSeconds) {
      context.isClosing = true
      let isClosed = false
      const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => {
        isClosed = true
      })
      const deadline = performance.now() + drainSeconds * 1000
      while (!isClosed && performance.now() < deadline) {
        server.closeIdleConnections()
        await sleep(20)
      }
      ongoing.destroy()
      clearInterval(sweeper)
      unfollow()
      server.closeAllConnections()
      upstreams.close()
      await closed
    },
  }
}

/** Starts the exchange, or says why there can be none. */
function admit(
  context: ExchangeContext,
  proxies: TrustedProxies,
  request: IncomingMessage,
  response: ServerResponse,
  tunnelBytes: Buffer | null,
): { problem: Problem; requestId: string } | null {
  const requestId = requestIdOf(request)
  const inbound = readRequest(request, requestId, proxies, tunnelBytes !== null)
  if (inbound instanceof Problem) return { problem: inbound, requestId }
  const { upstreams, bodyLimitBytes } = context
  if (inbound.contentLength > bodyLimitBytes) return { problem: payloadTooLarge(bodyLimitBytes), requestId }
  const group = upstreams.find(inbound.hostName)
  if (!group) return { problem: upstreams.hasTable ? hostNotFound(inbound.hostName) : tableNotLoaded(), requestId }
  if (group.isEmpty) return { problem: notServing(group.route), requestId }
  new Exchange(context, { inbound, request, response, firstTunnelBytes: tunnelBytes ?? NO_BYTES }, group)
  return null
}
