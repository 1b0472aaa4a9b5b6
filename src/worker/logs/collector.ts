import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import type { ContainerEnd, ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { asDomainError } from '../../storage/database/errors.ts'
import { recordUsage } from '../../storage/usage/usage-log.ts'
import { sleep } from '../time/sleep.ts'
import { sightingsOf } from '../usage/sightings.ts'
import { AccountLogBudget } from './account-log-budget.ts'
import { Collection, type CollectionContext, LogStreamLost } from './collection.ts'
import { recordContainers, recordEnd } from './containers.ts'
import { CLAIMED_STREAM, claimLogStream, renewLogStreams } from './log-stream.ts'

const POLL_MS = 200
const RENEWALS_PER_LEASE = 4
/**
 * Shorter than the removal's own timeout. What was read until then is kept, and the next attempt at the removal
 * continues there.
 */
const LAST_LINES_MS = 25_000
/**
 * No other worker must claim the stream meanwhile, however slow the machine. A worker that dies here delays the others
 * this long.
 */
const LAST_LINES_LEASE_SECONDS = 30
/** Of a container that dies again and again, only the last ends matter. */
const MAX_ENDS = 20

const containersOf = (appEnvId: string) => ({ appEnvId, kind: 'CONTAINERS' }) as const

interface CollectorOptions extends Omit<CollectionContext, 'linesPerMinute' | 'budget' | 'stream'> {
  owner: string
  config: Config
}

/** The container must stay: with it, what the engine knows of its run would be gone. */
class UsageNotRecorded extends Error {
  override readonly name = 'UsageNotRecorded'
}

/**
 * Collects the output of every environment whose log stream this worker could claim. The observer of containers passes
 * them on; engine notifications make the collector observe on its own. Whatever it misses is collected at the latest
 * before the container is removed.
 */
export class Collector {
  readonly #options: CollectorOptions
  readonly #context: CollectionContext
  readonly #collections = new Map<string, Collection>()
  /** What was last recorded of an environment's containers. */
  readonly #recorded = new Map<string, string>()
  readonly #notified = new Set<string>()
  /** Container ends that were reported and not recorded yet. */
  readonly #ends = new Map<string, readonly ContainerEnd[]>()
  readonly #observed = new Map<string, readonly ObservedReplica[]>()
  #isStopped = false
  /** Serializes the work on each environment. */
  readonly #chains = new Map<string, Promise<unknown>>()

  constructor(options: CollectorOptions) {
    this.#options = options
    const { BERTH_LOG_LINES_PER_MINUTE: linesPerMinute, BERTH_LOG_MB_PER_MINUTE: megabytes } = options.config
    const budget = new AccountLogBudget(options.database, megabytes)
    this.#context = { ...options, linesPerMinute, budget, stream: CLAIMED_STREAM }
  }

  /** What every collection of this worker shares; the budget above all. */
  get context(): CollectionContext {
    return this.#context
  }

  /** The engine reported a change, perhaps the end of a container. */
  notify(appEnvId: string, end: ContainerEnd | null = null): void {
    this.#notified.add(appEnvId)
    if (end) this.#ends.set(appEnvId, [...(this.#ends.get(appEnvId) ?? []), end].slice(-MAX_ENDS))
  }

  /** All containers of an environment, as just observed. */
  observe(appEnvId: string, observed: readonly ObservedReplica[]): void {
    this.#observed.set(appEnvId, observed)
  }

  /** Collects the rest of an ended container's output, and records how long it ran: the last chance before it is removed. */
  async finish(appEnvId: string, containerId: string, signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(LAST_LINES_MS)])
    try {
      await this.#inTurn(appEnvId, () => this.#collectLastLines(appEnvId, containerId, deadline))
    } catch (error) {
      signal.throwIfAborted()
      const known = asDomainError(error)
      // Otherwise the removal fails and is retried; but when the engine says there is nothing to read, a retry would
      // not help.
      if (error instanceof UsageNotRecorded) throw error
      if (deadline.aborted) throw new Error('The last lines of a container could not be read in time')
      if (error instanceof LogStreamLost || (known instanceof DomainError && known.code !== 'NOT_FOUND')) throw known
      this.#options.log.warn(
        { err: error, appEnvId, containerId },
        'Reading the last lines of a container failed; they are lost',
      )
    }
  }

  /** Environments whose log stream this worker has. */
  get appEnvIds(): string[] {
    return [...this.#collections].flatMap(([appEnvId, { hasEnded }]) => (hasEnded ? [] : [appEnvId]))
  }

  async run(signal: AbortSignal): Promise<void> {
    const { config, log } = this.#options
    const renewMs = (config.BERTH_LEASE_SECONDS * 1000) / RENEWALS_PER_LEASE
    let renewedAt = performance.now()
    while (!signal.aborted) {
      await sleep(POLL_MS, signal)
      await this.#observeNotified(signal)
      for (const [appEnvId, observed] of this.#observed) this.#update(appEnvId, observed)
      this.#observed.clear()
      if (performance.now() - renewedAt < renewMs) continue
      renewedAt = performance.now()
      await this.#renew().catch((error: unknown) =>
        log.debug({ err: error }, 'Renewing the claims of log streams failed'),
      )
    }
    // A claim under way now would open a collection after all others were closed.
    this.#isStopped = true
    await Promise.allSettled(this.#chains.values())
    await Promise.allSettled([...this.#collections.values()].map((collection) => collection.close()))
  }

  async #observeNotified(signal: AbortSignal): Promise<void> {
    const notified = [...this.#notified]
    this.#notified.clear()
    const bounds = { signal, timeoutSeconds: this.#options.config.BERTH_ENGINE_TIMEOUT_SECONDS }
    for (const appEnvId of notified) {
      // The next reconcile observes what is missed here.
      const observed = await this.#context.runtime.observe({ appEnvId }, bounds).catch(() => null)
      if (observed) this.observe(appEnvId, observed)
    }
  }

  #update(appEnvId: string, observed: readonly ObservedReplica[]): void {
    const collection = this.#collections.get(appEnvId)
    const facts = JSON.stringify(observed)
    const isKnown = this.#recorded.get(appEnvId) === facts && !this.#ends.has(appEnvId)
    if (isKnown && (observed.length === 0 || collection?.hasEnded === false)) return
    this.#inTurn(appEnvId, () => this.#collect(appEnvId, observed, facts)).catch((error: unknown) =>
      this.#options.log.debug({ err: error, appEnvId }, 'Collecting container output failed; it is retried'),
    )
  }

  async #collect(appEnvId: string, observed: readonly ObservedReplica[], facts: string): Promise<void> {
    // Rows hold checkpoints: read them under the claim, or another worker may be moving them.
    const collection = observed.length > 0 ? await this.#open(appEnvId) : await this.#close(appEnvId)
    const { database } = this.#context
    await recordUsage(database, sightingsOf(observed))
    const rows = await recordContainers(database, appEnvId, observed)
    const ends = this.#ends.get(appEnvId) ?? []
    this.#ends.delete(appEnvId)
    for (const end of ends) await recordEnd(database, end)
    collection?.follow(rows)
    this.#recorded.set(appEnvId, facts)
  }

  async #open(appEnvId: string): Promise<Collection | null> {
    const open = this.#collections.get(appEnvId)
    if (open && !open.hasEnded) return open
    await this.#close(appEnvId)
    const claim = this.#isStopped
      ? null
      : await claimLogStream(this.#context.database, containersOf(appEnvId), this.#claimant())
    if (!claim) return null
    const collection = new Collection(this.#context, claim, () => {
      // The container may still run, when the engine was stopped and left it alone: then it has to be followed again.
      this.#recorded.delete(appEnvId)
      this.notify(appEnvId)
    })
    this.#collections.set(appEnvId, collection)
    return collection
  }

  async #close(appEnvId: string): Promise<null> {
    await this.#collections.get(appEnvId)?.close()
    this.#collections.delete(appEnvId)
    return null
  }

  #claimant() {
    return { owner: this.#options.owner, leaseSeconds: this.#options.config.BERTH_LEASE_SECONDS }
  }

  /** Claims the stream from its owner, be it this worker or another: they continue where this ends. */
  async #collectLastLines(appEnvId: string, containerId: string, signal: AbortSignal): Promise<void> {
    const { database, runtime } = this.#context
    const observed = await runtime.observe({ appEnvId }, { signal })
    await recordUsage(database, sightingsOf(observed)).catch((cause: unknown) => {
      throw new UsageNotRecorded('How long a container ran could not be recorded', { cause })
    })
    await this.#close(appEnvId)
    this.#recorded.delete(appEnvId)
    const claimant = { ...this.#claimant(), leaseSeconds: LAST_LINES_LEASE_SECONDS, isForced: true }
    const claim = await claimLogStream(database, containersOf(appEnvId), claimant)
    if (!claim) throw new LogStreamLost('The log stream could not be claimed')
    const collection = new Collection(this.#context, claim)
    try {
      const rows = await recordContainers(database, appEnvId, observed)
      const row = rows.find((one) => one.containerId === containerId)
      if (row?.startedAt) await collection.readToEnd(row, signal)
    } finally {
      await collection.close()
    }
    this.observe(appEnvId, observed)
  }

  async #renew(): Promise<void> {
    const open = [...this.#collections.values()].filter((collection) => !collection.hasEnded)
    if (open.length === 0) return
    const claims = open.map(({ claim }) => claim)
    const held = await renewLogStreams(this.#context.database, claims, this.#options.config.BERTH_LEASE_SECONDS)
    for (const collection of open)
      if (!held.has(collection.claim.id)) collection.lose('Another worker has the log stream')
  }

  #inTurn<T>(appEnvId: string, work: () => Promise<T>): Promise<T> {
    const task = (this.#chains.get(appEnvId) ?? Promise.resolve()).then(work, work)
    const finished = task
      .catch(() => {})
      .finally(() => {
        if (this.#chains.get(appEnvId) === finished) this.#chains.delete(appEnvId)
      })
    this.#chains.set(appEnvId, finished)
    return task
  }
}
