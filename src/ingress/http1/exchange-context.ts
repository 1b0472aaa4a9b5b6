import type { Logger } from 'pino'
import type { ClientLoad } from '../../domain/client-load.ts'
import type { Activator } from '../activator/activator.ts'
import type { TrafficLog } from '../traffic/traffic-log.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { IngressMetrics } from './ingress-metrics.ts'
import type { OngoingList } from './ongoing.ts'
import type { QueueBounds, WaitingExchanges } from './waiting-exchanges.ts'

/** What all exchanges of one ingress share. */
export interface ExchangeContext {
  upstreams: Upstreams
  metrics: IngressMetrics
  /** Counts requests for the metrics of web apps. */
  traffic: TrafficLog
  log: Logger
  bodyLimitBytes: number
  /** BERTH_DOMAIN and BERTH_EXTRA_DOMAINS, below which every app has its hosts. */
  baseDomains: readonly string[]
  /** Time in which an app must begin its answer. */
  answerSeconds: number
  /** Silence after which an upgraded connection is closed, and after which TCP asks whether the app is there. */
  tunnels: { idleMs: number; keepAliveMs: number }
  ongoing: OngoingList
  /** Requests that wait for room at their app. */
  waiting: WaitingExchanges
  /** How long they wait. */
  queueMs: number
  /** Counts the requests of apps that sleep, and has them woken. */
  activator: Activator
  /** The same for requests to them: how many may wait, and how long. */
  wakeQueue: QueueBounds & { ms: number }
  /** This machine could not open a connection. */
  onExhausted(error: Error): void
  /** What each client address has in progress. */
  clientLoad: ClientLoad
}
