import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { Config } from '../../config/config.ts'
import { ClientLoad } from '../../domain/client-load.ts'
import { plainAddress } from '../../domain/networks.ts'
import type { CurrentTable, RouteTable, TcpRoute } from '../routes/route-table.ts'
import { PortListener } from './port-listener.ts'
import type { Refusal } from './refusal.ts'
import { TcpConnection } from './tcp-connection.ts'
import { TcpGroup } from './tcp-group.ts'
import { TcpMetrics } from './tcp-metrics.ts'

export interface TcpIngressOptions {
  config: Pick<
    Config,
    | 'HOST'
    | 'BERTH_TCP_HOST'
    | 'BERTH_TCP_PORTS'
    | 'BERTH_TCP_DEFAULT_CONNECTIONS'
    | 'BERTH_TCP_CONNECTIONS_PER_ENV'
    | 'BERTH_TCP_CONNECTIONS_PER_CLIENT'
    | 'BERTH_TCP_MAX_CONNECTIONS'
    | 'BERTH_TCP_CONNECT_SECONDS'
    | 'BERTH_TCP_IDLE_SECONDS'
    | 'BERTH_DRAIN_SECONDS'
  >
  source: CurrentTable
  log: Logger
  registry: Registry
  /** What the descriptors of this process allow; without it, only the settings count. */
  capacity?: number | undefined
}

// So that no environment, whatever it sets, can keep the others from being reached.
const SHARE_PER_ENV = 0.5
const EXHAUSTED_LOG_MS = 10_000
const CLOSING_CHECK_MS = 20

/**
 * Passes plain TCP on to managed services: each port of the table leads to one environment. HTTP has its own server, and
 * its own share of the descriptors.
 */
export class TcpIngress {
  private readonly options: TcpIngressOptions
  private readonly groups = new Map<number, TcpGroup>()
  private readonly listeners = new Map<number, PortListener>()
  private readonly clients: ClientLoad
  private readonly metrics: TcpMetrics
  private readonly total: number
  private readonly unfollow: () => void
  private open = 0
  private exhaustedAt = Number.NEGATIVE_INFINITY
  private foreignPorts = ''

  constructor(options: TcpIngressOptions) {
    this.options = options
    const { config, registry, source, capacity = Number.POSITIVE_INFINITY } = options
    this.total = Math.min(config.BERTH_TCP_MAX_CONNECTIONS, capacity)
    this.clients = new ClientLoad(config.BERTH_TCP_CONNECTIONS_PER_CLIENT)
    const [groups, listeners] = [() => this.groups.values(), () => this.listeners.values()]
    this.metrics = new TcpMetrics(registry, { groups, listeners })
    this.unfollow = source.follow((table) => this.apply(table))
  }

  /** The ports that it should listen on and does not, with the reason. */
  problems(): string[] {
    return [...this.listeners].flatMap(([port, { problem }]) => (problem === null ? [] : [`port ${port} ${problem}`]))
  }

  /** Stops accepting, lets connections end within the time, then ends them. */
  async close(drainSeconds: number): Promise<void> {
    this.unfollow()
    for (const listener of this.listeners.values()) listener.close()
    const deadline = performance.now() + drainSeconds * 1000
    while (this.open > 0 && performance.now() < deadline) await sleep(CLOSING_CHECK_MS)
    for (const group of this.groups.values()) group.destroy()
  }

  private apply(table: RouteTable): void {
    const wanted = new Map(this.ownRoutes(table).map((route) => [route.port, route]))
    for (const [port, group] of this.groups)
      if (wanted.get(port)?.appEnvId !== group.route.appEnvId) this.remove(port, group)
    for (const [port, listener] of this.listeners) {
      if (wanted.has(port)) continue
      listener.close()
      this.listeners.delete(port)
    }
    for (const [port, route] of wanted) {
      const group = this.groups.get(port)
      if (group) group.update(route, this.options.config.BERTH_DRAIN_SECONDS * 1000)
      else this.groups.set(port, new TcpGroup(route))
      if (!this.listeners.has(port)) this.listeners.set(port, this.listen(port))
    }
  }

  /** Only ports that this process was given: the table must not make it listen on others. */
  private ownRoutes({ tcpRoutes }: RouteTable): TcpRoute[] {
    const ports = new Set(this.options.config.BERTH_TCP_PORTS)
    const foreign = tcpRoutes.filter(({ port }) => !ports.has(port)).map(({ port }) => port)
    if (foreign.length > 0 && foreign.join() !== this.foreignPorts)
      this.options.log.warn(
        { ports: foreign },
        'ingress: ports of environments are not in BERTH_TCP_PORTS, and stay closed',
      )
    this.foreignPorts = foreign.join()
    return tcpRoutes.filter(({ port }) => ports.has(port))
  }

  private remove(port: number, group: TcpGroup): void {
    this.groups.delete(port)
    group.destroy()
    this.metrics.remove(group.route.appEnvId)
  }

  private listen(port: number): PortListener {
    const { config, log } = this.options
    return new PortListener({
      host: config.BERTH_TCP_HOST ?? config.HOST,
      port,
      log,
      onConnection: (socket) => this.accept(port, socket),
      onExhausted: (error) => this.reportExhausted(error),
    })
  }

  private accept(port: number, client: Socket): void {
    // The end of a socket is reported by `close`.
    client.on('error', () => {})
    const group = this.groups.get(port)
    const { remoteAddress } = client
    if (!group || remoteAddress === undefined) {
      // Gone already.
      client.destroy()
      return
    }
    const peer = plainAddress(remoteAddress)
    const refusal = this.refusalOf(group, peer)
    if (refusal === null) {
      this.connect(group, client, peer)
      return
    }
    this.metrics.refused(group.route.appEnvId, refusal)
    // A reset leaves nothing behind, however many are refused.
    client.resetAndDestroy()
  }

  /** Counts the client when it is admitted. The checks are cheap, whatever floods a port. */
  private refusalOf(group: TcpGroup, peer: string): Refusal | null {
    const { route, connections } = group
    if (!group.allows(peer)) return 'NOT_ALLOWED'
    // At once, as a database that restarts refuses: drivers and pools connect again by themselves.
    if (!group.isServing) return 'NOT_SERVING'
    if (connections.size >= this.maxConnectionsOf(route)) return 'TOO_MANY_OF_ENVIRONMENT'
    if (this.open >= this.total) return 'TOO_MANY_CONNECTIONS'
    return this.clients.tryEnter(peer) ? null : 'TOO_MANY_FROM_CLIENT'
  }

  private maxConnectionsOf({ maxConnections }: TcpRoute): number {
    const { BERTH_TCP_DEFAULT_CONNECTIONS: fallback, BERTH_TCP_CONNECTIONS_PER_ENV: most } = this.options.config
    return Math.min(maxConnections ?? fallback, most, Math.max(1, Math.floor(this.total * SHARE_PER_ENV)))
  }

  private connect(group: TcpGroup, client: Socket, peer: string): void {
    const { config } = this.options
    this.open += 1
    this.metrics.admitted(group.route.appEnvId)
    const connection = new TcpConnection({
      client,
      peer,
      targets: group.readyTargets(),
      connectMs: config.BERTH_TCP_CONNECT_SECONDS * 1000,
      idleMs: config.BERTH_TCP_IDLE_SECONDS * 1000,
      onEnd: (ended, refusal) => this.ended(group, ended, refusal),
    })
    group.connections.add(connection)
  }

  private ended(group: TcpGroup, connection: TcpConnection, refusal: Refusal | null): void {
    const { appEnvId, port } = group.route
    this.open -= 1
    this.clients.leave(connection.peer)
    group.connections.delete(connection)
    // What is left of an environment without external access is not counted.
    if (this.groups.get(port) !== group) return
    this.metrics.transferred(appEnvId, connection)
    if (refusal === null) return
    this.metrics.refused(appEnvId, refusal)
    if (refusal === 'HOST_EXHAUSTED') this.reportExhausted(new Error('a connection to a container could not be opened'))
  }

  private reportExhausted(error: Error): void {
    const now = performance.now()
    if (now - this.exhaustedAt < EXHAUSTED_LOG_MS) return
    this.exhaustedAt = now
    const words = 'ingress: this machine cannot open more connections; managed services are not to blame'
    this.options.log.error({ error: error.message }, words)
  }
}
