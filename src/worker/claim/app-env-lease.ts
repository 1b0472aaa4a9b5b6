import { type Claim, Lease } from './lease.ts'

/** What a worker claims environments for: an open operation, a routine reconcile, or what requests ask for. */
export type QueueName = 'operations' | 'reconciles' | 'scalings'

interface AppEnvClaim extends Claim {
  queue: QueueName
  /** The operation whose claims this one was counted among; null for a reconcile. */
  countedOperationId: string | null
  /**
   * `due_at` as the claim set it, in the database's own notation. A different value at release means that the
   * environment was made due meanwhile.
   */
  dueAt: string
}

/** The right to work on one environment. */
export class AppEnvLease extends Lease<AppEnvClaim> {
  /** The operation that the lease is held for; undefined when the end of none would matter. */
  operationId: string | undefined
  /** The last transaction is running: the operation's end is expected. */
  isCompleting = false
  /** Resolves when requests need another number of containers while the work is under way. */
  asked = Promise.withResolvers<void>()

  get appEnvId(): string {
    return this.claim.id
  }
}
