import { Counter, Gauge, type Registry } from 'prom-client'
import type { Refusal } from './refusal.ts'
import type { TcpConnection } from './tcp-connection.ts'
import type { TcpGroup } from './tcp-group.ts'

interface Observed {
  groups(): Iterable<TcpGroup>
  listeners(): Iterable<{ problem: string | null }>
}

/** Metrics of external access, by environment. An environment without it has none. */
export class TcpMetrics {
  private readonly connections: Counter<'app_env'>
  private readonly refusals: Counter<'app_env' | 'reason'>
  private readonly bytes: Counter<'app_env' | 'direction'>
  private readonly seen = new Map<string, Set<Refusal>>()

  constructor(registry: Registry, { groups, listeners }: Observed) {
    const registers = [registry]
    const record = (connection: TcpConnection, appEnvId: string) => this.transferred(appEnvId, connection)
    this.connections = new Counter({
      name: 'berth_ingress_tcp_connections_total',
      help: 'External TCP connections that were admitted, by environment.',
      labelNames: ['app_env'],
      registers,
    })
    this.refusals = new Counter({
      name: 'berth_ingress_tcp_refused_total',
      help: 'External TCP connections that were refused, by environment and reason.',
      labelNames: ['app_env', 'reason'],
      registers,
    })
    this.bytes = new Counter({
      name: 'berth_ingress_tcp_bytes_total',
      help: 'Bytes of external TCP connections, by environment and direction.',
      labelNames: ['app_env', 'direction'],
      registers,
      collect() {
        for (const { route, connections } of groups())
          for (const connection of connections) record(connection, route.appEnvId)
      },
    })
    new Gauge({
      name: 'berth_ingress_tcp_connections',
      help: 'External TCP connections that are open, by environment.',
      labelNames: ['app_env'],
      registers,
      collect() {
        this.reset()
        for (const { route, connections } of groups()) this.set({ app_env: route.appEnvId }, connections.size)
      },
    })
    new Gauge({
      name: 'berth_ingress_tcp_ports',
      help: 'Ports for external access, by whether this process listens on them.',
      labelNames: ['state'],
      registers,
      collect() {
        const all = [...listeners()]
        const open = all.filter(({ problem }) => problem === null).length
        this.set({ state: 'open' }, open)
        this.set({ state: 'failed' }, all.length - open)
      },
    })
  }

  admitted(appEnvId: string): void {
    this.connections.inc({ app_env: appEnvId })
  }

  refused(appEnvId: string, reason: Refusal): void {
    const reasons = this.seen.get(appEnvId) ?? new Set()
    this.seen.set(appEnvId, reasons.add(reason))
    this.refusals.inc({ app_env: appEnvId, reason })
  }

  transferred(appEnvId: string, connection: TcpConnection): void {
    const { fromClients, fromContainers } = connection.takeTransferred()
    this.bytes.inc({ app_env: appEnvId, direction: 'in' }, fromClients)
    this.bytes.inc({ app_env: appEnvId, direction: 'out' }, fromContainers)
  }

  /** The environment has no external access any more. */
  remove(appEnvId: string): void {
    this.connections.remove({ app_env: appEnvId })
    for (const direction of ['in', 'out']) this.bytes.remove({ app_env: appEnvId, direction })
    for (const reason of this.seen.get(appEnvId) ?? []) this.refusals.remove({ app_env: appEnvId, reason })
    this.seen.delete(appEnvId)
  }
}
