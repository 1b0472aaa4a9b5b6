import type { Logger } from 'pino'
import type { Database } from '../../storage/database/client.ts'
import { sleep } from '../time/sleep.ts'
import { LeaseLost, OperationEnded, Preempted } from './abandoned.ts'
import type { AppEnvLease } from './app-env-lease.ts'
import { heartbeat } from './heartbeat.ts'

const CHECK_MS = 1_000

interface HeldRow {
  appEnvId: string
  token: number
  /** The open operation, even when it is not due yet. */
  operationId: string | null
  isDue: boolean
}

/**
 * Renews every lease of one worker, and aborts the work of leases that were lost or whose operation has ended. One
 * query a second covers all of them; a notification makes it run at once.
 */
export class LeaseKeeper {
  readonly #held = new Set<AppEnvLease>()
  readonly #database: Database
  readonly #leaseSeconds: number
  readonly #log: Logger
  #isFailing = false

  constructor(database: Database, leaseSeconds: number, log: Logger) {
    this.#database = database
    this.#leaseSeconds = leaseSeconds
    this.#log = log
  }

  get held(): ReadonlySet<AppEnvLease> {
    return this.#held
  }

  add(lease: AppEnvLease): void {
    this.#held.add(lease)
  }

  drop(lease: AppEnvLease): void {
    this.#held.delete(lease)
  }

  /** Wakes the work under way on an environment, which then looks at the requests. */
  wake(appEnvId: string): void {
    for (const lease of this.#held) if (lease.appEnvId === appEnvId) lease.asked.resolve()
  }

  /**
   * Wakes the work under way on an environment, because its requests need another number of containers. While the
   * environment sleeps, a routine reconcile is preempted, because requests are waiting; an operation scales in the
   * background.
   */
  async interruptForRequests(appEnvId: string): Promise<void> {
    for (const lease of this.#held) {
      if (lease.appEnvId !== appEnvId || lease.claim.queue === 'scalings') continue
      this.wake(appEnvId)
      if (lease.claim.queue !== 'reconciles') continue
      const asleep = await this.#database.requestScaling.count({ where: { appEnvId, depth: { not: null } } })
      if (asleep > 0) lease.end(new Preempted('A request waits for a container'))
    }
  }

  /** Runs until the signal fires. While the database is down it keeps trying; the leases expire on their own. */
  async run(signal: AbortSignal): Promise<void> {
    const intervalMs = Math.min(CHECK_MS, (this.#leaseSeconds * 1000) / 6)
    while (!signal.aborted) {
      await sleep(intervalMs, signal)
      try {
        await this.#renewAndCheck()
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) this.#log.warn({ err: error }, 'Lease renewal failed; leases expire on their own')
        this.#isFailing = true
      }
    }
  }

  async #renewAndCheck(): Promise<void> {
    await heartbeat(this.#database, this.#held, this.#leaseSeconds)
    await this.#check([...this.#held])
  }

  /** Checks at once whether this worker, if it holds the environment, should go on with its work. */
  async checkNow(appEnvId: string): Promise<void> {
    await this.#check([...this.#held].filter((lease) => lease.appEnvId === appEnvId))
  }

  async #check(leases: readonly AppEnvLease[]): Promise<void> {
    if (leases.length === 0) return
    const ids = leases.map((lease) => lease.appEnvId)
    // A lease may move on to another operation while the query runs; judge only what was asked about.
    const asked = leases.map((lease) => ({ lease, operationId: lease.operationId }))
    const rows = await this.#database.$queryRaw<HeldRow[]>`
      SELECT e.id AS "appEnvId", e.lease_token AS token, o.id AS "operationId",
        coalesce(o.not_before <= now(), false) AS "isDue"
      FROM app_env e LEFT JOIN operation o ON o.app_env_id = e.id AND o.status IN ('QUEUED', 'RUNNING')
      WHERE e.id = ANY(${ids}::text[])`
    const byId = new Map(rows.map((row) => [row.appEnvId, row]))
    for (const { lease, operationId } of asked) {
      if (lease.operationId === operationId) endIfPointless(lease, byId.get(lease.appEnvId))
    }
  }
}

function endIfPointless(lease: AppEnvLease, row: HeldRow | undefined): void {
  if (row?.token !== lease.claim.token) lease.end(new LeaseLost(`Another worker has claimed ${lease.appEnvId}`))
  else if (lease.operationId && !lease.isCompleting && row.operationId !== lease.operationId) {
    lease.end(new OperationEnded(`${lease.operationId} has ended`))
  } else if (lease.claim.queue !== 'operations' && row.operationId && row.isDue) {
    lease.end(new Preempted('An operation has been asked for'))
  }
}
