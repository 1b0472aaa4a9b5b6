import type { Logger } from 'pino'
import { findEngine } from '../../app-types/engines/engines.ts'
import { DomainError } from '../../domain/errors.ts'
import type { ContainerRuntime } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'
import { sleep } from '../time/sleep.ts'
import type { AccountLogBudget } from './account-log-budget.ts'
import { Reading } from './checkpoint.ts'
import { ContainerOutput } from './container-output.ts'
import {
  bytesOf,
  type LogStreamAccess,
  type LogStreamClaim,
  type LogStreamLine,
  MAX_STATEMENT_BYTES,
  type Progress,
} from './log-stream.ts'

const GATHER_MS = 250
/** Of one statement. Fewer would wait longer for the disk than for the lines. */
const BATCH_LINES = 4_000
const AGAIN_MS = 1_000

export interface CollectionContext {
  database: Database
  runtime: ContainerRuntime
  log: Logger
  linesPerMinute: number
  budget: AccountLogBudget
  stream: LogStreamAccess
}

/** Another worker has the log stream, or may have: it reads again what was not written. */
export class LogStreamLost extends Error {
  override readonly name = 'LogStreamLost'
}

/**
 * Collects the output of one environment's containers under one claim of its log stream. Lines go into one buffer, and
 * from there into the database together with their checkpoints. The first failure to write ends the collection.
 */
export class Collection {
  readonly claim: LogStreamClaim
  readonly #context: CollectionContext
  readonly #ending = new AbortController()
  readonly #sources = new Map<string, ContainerOutput>()
  readonly #following = new Map<string, Promise<void>>()
  /** Called when a container's output ends: the container may have been started again. */
  readonly #onEnd: () => void
  #lines: LogStreamLine[] = []
  #bytes = 0
  #touched = new Set<ContainerOutput>()
  #writing: Promise<void> = Promise.resolve()
  #wake = Promise.withResolvers<void>()
  /** Resolves when the lines read so far are on their way into the database. */
  #taken = Promise.withResolvers<void>()
  readonly #running: Promise<void>

  constructor(context: CollectionContext, claim: LogStreamClaim, onEnd: () => void = () => {}) {
    this.#context = context
    this.claim = claim
    this.#onEnd = onEnd
    this.#running = this.#run()
  }

  get hasEnded(): boolean {
    return this.#ending.signal.aborted
  }

  /** Follows each of these containers that is not followed yet. */
  follow(containers: readonly Container[]): void {
    for (const row of containers) {
      if (!row.startedAt || this.#following.has(row.containerId)) continue
      const source = this.#sourceOf(row)
      if (row.phase !== 'running' && source.endedRun === row.startedAt.getTime()) continue
      const following = this.#keepReading(source, row.startedAt.getTime()).finally(() => {
        this.#following.delete(row.containerId)
        if (!this.hasEnded) this.#onEnd()
      })
      this.#following.set(row.containerId, following)
    }
  }

  isFollowing({ containerId }: Container): boolean {
    return this.#following.has(containerId)
  }

  /** Waits until nothing is followed any more: every output has ended, or the collection has. */
  async followed(): Promise<void> {
    await Promise.all(this.#following.values())
  }

  /** Reads the rest of an ended container's output, and writes it. Throws LogStreamLost. */
  async readToEnd(row: Container, signal: AbortSignal): Promise<void> {
    const source = this.#sourceOf(row)
    await this.#read(source, false, AbortSignal.any([signal, this.#ending.signal]))
    await this.#write()
    // Lines that the account's budget dropped just now: nothing follows that could report them.
    source.conclude((line) => this.#keep(line))
    this.#touched.add(source)
    await this.#write()
    if (this.hasEnded) throw this.#ending.signal.reason
  }

  /** Stops reading, writes what was read, and releases the stream unless it is lost. */
  async close(): Promise<void> {
    const isOurs = !this.hasEnded
    this.lose('The collection was closed')
    await Promise.all([this.#running, ...this.#following.values()])
    if (!isOurs) return
    await this.#write()
    await this.#context.stream.release(this.#context.database, this.claim)
  }

  /** Ends the collection: nothing more may be written under this claim. */
  lose(reason: string): void {
    this.#ending.abort(new LogStreamLost(reason))
    this.#taken.resolve()
  }

  #sourceOf(row: Container): ContainerOutput {
    const source = this.#sources.get(row.containerId) ?? this.#newSource(row)
    this.#sources.set(row.containerId, source)
    return source
  }

  #newSource(row: Container): ContainerOutput {
    const { preset } = this.claim
    const format = preset === null ? undefined : findEngine(preset)?.logs
    return new ContainerOutput(row, this.#context.linesPerMinute, format)
  }

  async #keepReading(source: ContainerOutput, run: number): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      try {
        await this.#read(source, true, signal)
        source.endedRun = run
        return
      } catch (error) {
        if (signal.aborted || (error instanceof DomainError && error.code === 'NOT_FOUND')) return
        this.#context.log.debug(
          { err: error, container: source.containerId },
          'Reading container output broke off; it resumes from the checkpoint',
        )
        await sleep(AGAIN_MS, signal)
      }
    }
  }

  async #read(source: ContainerOutput, follow: boolean, signal: AbortSignal): Promise<void> {
    const reading = new Reading(source.checkpoint)
    const since = reading.since === undefined ? {} : { since: reading.since }
    const keep = (line: LogStreamLine) => this.#keep(line)
    for await (const line of this.#context.runtime.logs(source.containerId, { follow, signal, ...since })) {
      // Those of the next batch are read while one is being written.
      while (this.#isFull && !this.hasEnded) {
        this.#wake.resolve()
        await this.#taken.promise
      }
      if (!reading.isNew(line)) continue
      // A reader may wait for the first line; the others are gathered.
      if (source.isSilent) this.#wake.resolve()
      source.take(line, keep)
      this.#touched.add(source)
    }
    source.conclude(keep)
    this.#touched.add(source)
  }

  get #isFull(): boolean {
    return this.#lines.length >= BATCH_LINES || this.#bytes >= MAX_STATEMENT_BYTES
  }

  #keep(line: LogStreamLine): void {
    this.#lines.push(line)
    this.#bytes += bytesOf([line])
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await sleep(GATHER_MS, signal, this.#wake.promise)
      this.#wake = Promise.withResolvers()
      this.#reportDropped()
      if (!signal.aborted) await this.#write()
    }
  }

  #reportDropped(): void {
    const now = performance.now()
    for (const source of this.#sources.values()) {
      if (!source.owesNotice(now)) continue
      source.conclude((line) => this.#keep(line))
      this.#touched.add(source)
    }
  }

  /** Writes batches one after the other, each with the checkpoints its lines led to. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeBatch())
    return this.#writing
  }

  async #writeBatch(): Promise<void> {
    if (this.#lines.length === 0 && this.#touched.size === 0) return
    const read = this.#lines
    // Copied before anything is awaited: meanwhile, more lines are read.
    const progress = [...this.#touched].map(progressOf)
    this.#lines = []
    this.#bytes = 0
    this.#touched = new Set()
    this.#taken.resolve()
    this.#taken = Promise.withResolvers()
    try {
      const lines = await this.#withinBudget(read, progress)
      if (!(await this.#context.stream.append(this.#context.database, this.claim, lines, progress)))
        this.lose('Another worker has the log stream')
    } catch (error) {
      this.#context.log.warn(
        { err: error, appEnvId: this.claim.appEnvId },
        'Writing container output failed; it is read again',
      )
      this.lose('Output could not be written')
    }
  }

  /** Drops lines beyond the account's budget. The source counts them, and says so once it allows lines again. */
  async #withinBudget(lines: LogStreamLine[], progress: readonly Progress[]): Promise<LogStreamLine[]> {
    const { accountId } = this.claim
    if (accountId === null || lines.length === 0) return lines
    const wanted = bytesOf(lines)
    let left = await this.#context.budget.take(accountId, wanted)
    if (left >= wanted) return lines
    const written = new Map(progress.map((one) => [one.id, one.cap]))
    const sources = new Map([...this.#sources.values()].map((source) => [source.id, source.cap]))
    return lines.filter((line) => {
      left -= bytesOf([line])
      if (line.isNotice || left >= 0) return true
      for (const cap of [written.get(line.containerId), sources.get(line.containerId)]) if (cap) cap.dropped += 1
      return false
    })
  }
}

const progressOf = ({ id, checkpoint, cap }: ContainerOutput): Progress => ({
  id,
  checkpoint: { stdout: { ...checkpoint.stdout }, stderr: { ...checkpoint.stderr } },
  cap: { ...cap },
})
