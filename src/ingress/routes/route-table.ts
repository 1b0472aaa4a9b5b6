import type { AppEnvStatus } from '../../domain/app-env.ts'

/** A replica that takes requests. `name` is the container's, for logs: clients never see its address. */
export interface Target {
  name: string
  address: string
  port: number
  /** The version that it runs; a table from before this was read has none. */
  contentId?: string | undefined
}

/** How requests for an environment decide the number of its containers. */
export interface RouteScaling {
  /** Requests that one container handles at a time, from all ingress processes together. */
  concurrency: number
  maxScale: number
  idleSeconds: number
  /** Time in which a container must begin its answer. */
  timeoutSeconds: number
  /** Grows when a container stops taking requests; reported back as an acknowledgement. */
  revision: number
  /** Why the last wake failed, how many did in a row, and the pause before the next one. */
  failure: { count: number; reason: string; pauseSeconds: number } | null
}

/** Where requests for one host go, and what clients get while no replica serves. */
export interface Route {
  host: string
  appEnvId: string
  cliEnvName: string
  status: AppEnvStatus
  hasDeployment: boolean
  /** Its containers end soon after each start, so that repeating this repairs nothing. */
  keepsEnding?: boolean | undefined
  targets: readonly Target[]
  /** Null, or left out: it does not sleep. */
  scaling?: RouteScaling | null | undefined
}

/** A container behind a TCP port. One that is not ready gets no new connections, and keeps those that it has. */
export interface TcpTarget extends Target {
  isReady: boolean
}

/** Where connections to one TCP port go, and from where they may come. */
export interface TcpRoute {
  port: number
  appEnvId: string
  cliEnvName: string
  allowedCidrs: readonly string[]
  /** Null: the default of the installation. */
  maxConnections: number | null
  targets: readonly TcpTarget[]
}

/** An immutable picture of every host and every TCP port at one moment. */
export class RouteTable {
  readonly tcpRoutes: readonly TcpRoute[]
  private readonly byHost: ReadonlyMap<string, Route>

  constructor(routes: Iterable<Route>, tcpRoutes: readonly TcpRoute[] = []) {
    this.byHost = new Map([...routes].map((route) => [route.host.toLowerCase(), route]))
    this.tcpRoutes = tcpRoutes
  }

  /** Finds by the host's name as `hostNameOf` returns it. */
  find(hostName: string): Route | null {
    return this.byHost.get(hostName) ?? null
  }

  /** Finds by a Host header as it was sent. */
  lookup(hostHeader: string): Route | null {
    const hostName = hostNameOf(hostHeader)
    return hostName === null ? null : this.find(hostName)
  }

  toJSON(): Route[] {
    return [...this.byHost.values()]
  }
}

type TableListener = (table: RouteTable) => void

/** The newest table, and the listeners for the next one. Null until there is a first. */
export class CurrentTable {
  private newest: RouteTable | null = null
  private readonly listeners = new Set<TableListener>()

  get table(): RouteTable | null {
    return this.newest
  }

  /** Calls back with every table from now on, and at once with the one there is. */
  follow(listener: TableListener): () => void {
    this.listeners.add(listener)
    if (this.newest) listener(this.newest)
    return () => this.listeners.delete(listener)
  }

  /**
   * Resolves when the table is one that was read after this call, or when that cannot be for now. Null: there is nothing
   * to wait for.
   */
  caughtUp(): Promise<void> | null {
    return null
  }

  replace(table: RouteTable): void {
    this.newest = table
    for (const listener of this.listeners) listener(table)
  }
}

const HOST_HEADER = /^(?:([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?|(\[[0-9a-f:.]+\]))(?::\d{0,5})?$/

/** The name in a Host header: lower case, without port and trailing dot. Null when it is not a host at all. */
export function hostNameOf(hostHeader: string): string | null {
  const match = HOST_HEADER.exec(hostHeader.toLowerCase())
  return match?.[1] ?? match?.[2] ?? null
}
