import { AllowList } from '../../domain/allow-list.ts'
import type { Target, TcpRoute, TcpTarget } from '../routes/route-table.ts'
import type { TcpConnection } from './tcp-connection.ts'

/** An environment behind a TCP port: its allow list, and its connections. */
export class TcpGroup {
  readonly connections = new Set<TcpConnection>()
  private newest: TcpRoute
  private allowList: AllowList

  constructor(route: TcpRoute) {
    this.newest = route
    this.allowList = new AllowList(route.allowedCidrs)
  }

  get route(): TcpRoute {
    return this.newest
  }

  allows(peer: string): boolean {
    return this.allowList.includes(peer)
  }

  get isServing(): boolean {
    return this.newest.targets.some(({ isReady }) => isReady)
  }

  /** The containers that take connections, the least busy first. */
  readyTargets(): TcpTarget[] {
    const counts = new Map<string, number>()
    for (const { target } of this.connections) counts.set(keyOf(target), (counts.get(keyOf(target)) ?? 0) + 1)
    const countOf = (target: Target) => counts.get(keyOf(target)) ?? 0
    return this.newest.targets.filter(({ isReady }) => isReady).sort((one, other) => countOf(one) - countOf(other))
  }

  /**
   * Takes over a newer route. Connections from addresses that are not allowed any more end at once; those to containers
   * that are not in it have the drain time.
   */
  update(route: TcpRoute, drainMs: number): void {
    this.newest = route
    this.allowList = new AllowList(route.allowedCidrs)
    const present = new Set(route.targets.map(keyOf))
    for (const connection of this.connections) {
      if (!this.allows(connection.peer)) connection.destroy()
      else if (present.has(keyOf(connection.target))) connection.stay()
      else connection.drain(drainMs)
    }
  }

  destroy(): void {
    for (const connection of this.connections) connection.destroy()
  }
}

const keyOf = ({ name, address, port }: Target) => `${name} ${address} ${port}`
