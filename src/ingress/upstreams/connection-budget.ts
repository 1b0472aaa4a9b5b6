export interface UpstreamLimits {
  /** Requests and tunnels in progress per replica. */
  perReplica: number
  /** The same for all replicas of this process. */
  total: number
}

// So that no app, however many replicas it has, can keep the others from being asked.
const SHARE_PER_APP = 0.5

/** How many connections to replicas this process may have, and has. */
export class ConnectionBudget {
  readonly perReplica: number
  readonly perApp: number
  readonly total: number
  /** Connections that serve a request or a tunnel. */
  busy = 0
  /** Connections whose descriptor is in use, idle ones included. */
  open = 0

  constructor({ perReplica, total }: UpstreamLimits) {
    this.perReplica = perReplica
    this.total = total
    this.perApp = Math.max(1, Math.floor(total * SHARE_PER_APP))
  }

  get isUsedUp(): boolean {
    return this.busy >= this.total
  }
}
