import type { Database } from '../../storage/database/client.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import { fenced } from '../claim/fenced.ts'
import { GIVEN_BACK } from '../claim/leased-table.ts'
import { append, claimLogStream, type LogStreamClaim, type LogStreamLine, type Progress } from './log-stream.ts'

const FLUSH_MS = 300
const RENEWALS_PER_LEASE = 4
const TRIES = 3
/** Each of 2 KB at most, as the lines of a build are cut. */
const LINES_PER_STATEMENT = 250
/** Lines of the attempts before, in which a retry finds its own beginning. */
const EARLIER_LINES = 500
const NOWHERE = { at: 0n, count: 0 }

export interface BuildLine {
  at: Date
  isError: boolean
  message: string
}

interface BuildLogStreamOptions {
  database: Database
  lease: AppEnvLease
  contentId: string
  leaseSeconds: number
}

/** The build's row among the containers: how far its log has come. */
interface BuildRow {
  id: number
  stdoutAt: bigint
  capUsed: number
}

/** The log stream of an environment's builds, claimed by one attempt. */
export class BuildLogStream {
  readonly #database: Database
  readonly #claim: LogStreamClaim
  readonly #row: BuildRow
  readonly #renewal: NodeJS.Timeout
  /** In order; a write of the first ones may be under way. */
  #lines: LogStreamLine[] = []
  #lastAt: bigint
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  /** The last write had no clear answer, and may have committed. */
  #isUnsure = false
  #isLost = false

  private constructor({ database, leaseSeconds }: BuildLogStreamOptions, claim: LogStreamClaim, row: BuildRow) {
    this.#database = database
    this.#claim = claim
    this.#row = row
    this.#lastAt = row.stdoutAt
    // A build may print nothing for longer than the claim lasts.
    this.#renewal = setInterval(() => this.#flush(), (leaseSeconds * 1000) / RENEWALS_PER_LEASE).unref()
  }

  /**
   * Claims the stream from its former owner, which can write no more. Fenced by the environment's lease, so that a
   * worker that was paused cannot claim it. Throws LeaseLost and OperationEnded.
   */
  static async open(options: BuildLogStreamOptions): Promise<BuildLogStream> {
    const { database, lease, contentId, leaseSeconds } = options
    const { appEnvId } = lease
    const now = lease.claim.clock.now()
    const { claim, row } = await fenced(database, lease, async (tx) => {
      const where = { id: appEnvId }
      const { leaseOwner } = await tx.appEnv.findUniqueOrThrow({ where, select: { leaseOwner: true } })
      const claimant = { owner: leaseOwner ?? '', leaseSeconds, isForced: true }
      const claim = await claimLogStream(tx, { appEnvId, kind: 'BUILDS' }, claimant)
      if (!claim) throw new Error('The log stream of builds could not be claimed')
      await tx.container.updateMany({
        where: { appEnvId, phase: 'build', finishedAt: null },
        data: { finishedAt: now, removedAt: now },
      })
      const names = { appEnvId, contentId, name: 'build', phase: 'build' }
      const row = await tx.container.upsert({
        where: { containerId: contentId },
        create: { containerId: contentId, ...names, startedAt: now, removedAt: now },
        update: { finishedAt: null, removedAt: now },
      })
      return { claim, row }
    })
    return new BuildLogStream(options, claim, row)
  }

  /** The first lines that the attempts before this one have stored, oldest first. */
  async earlier(): Promise<string[]> {
    if (this.#row.capUsed === 0) return []
    const rows = await this.#database.$queryRaw<{ message: string }[]>`
      SELECT message FROM log_line WHERE log_stream_id = ${this.#claim.id} AND container_id = ${this.#row.id}
      ORDER BY number LIMIT ${EARLIER_LINES}`
    return rows.map(({ message }) => message)
  }

  /** How many lines of this build are stored, by this attempt and those before it. */
  get kept(): number {
    return this.#row.capUsed + this.#lines.length
  }

  add({ at, isError, message }: BuildLine): void {
    const nanoseconds = BigInt(at.getTime()) * 1_000_000n
    // Strictly increasing: searches order lines by time.
    this.#lastAt = nanoseconds > this.#lastAt ? nanoseconds : this.#lastAt + 1n
    this.#lines.push({ containerId: this.#row.id, at: this.#lastAt, isError, message })
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS)
  }

  /** Writes what is left and releases the stream. Never throws: a log must not fail a build. */
  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#flush()
    const { id, token } = this.#claim
    await this.#database.$queryRaw`
      WITH stream AS (
        UPDATE log_stream SET ${GIVEN_BACK} WHERE id = ${id} AND lease_token = ${token}
        RETURNING app_env_id, last_number
      ), build AS (
        UPDATE container SET finished_at = now(), removed_at = now() FROM stream WHERE container.id = ${this.#row.id}
      )
      SELECT pg_notify('berth_logs', app_env_id || ':' || last_number)::text FROM stream`.catch(() => {})
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** Lines that could not be written stay, and are retried with the next ones. */
  async #write(): Promise<void> {
    for (let tries = 0; tries < TRIES && !this.#isLost; tries += 1) {
      try {
        if (this.#isUnsure) await this.#verify()
        if (this.#isLost || (await this.#appendAll())) return
        this.#isUnsure = true
      } catch {
        this.#isUnsure = true
      }
    }
  }

  /** What there is now: a build that prints on would keep this going. False when a statement was refused. */
  async #appendAll(): Promise<boolean> {
    for (let left = this.#lines.length; left >= 0; left -= LINES_PER_STATEMENT)
      if (!(await this.#append())) return false
    return true
  }

  /** Without lines, it only renews the claim. */
  async #append(): Promise<boolean> {
    const lines = this.#lines.slice(0, LINES_PER_STATEMENT)
    const last = lines.at(-1)
    if (!(await append(this.#database, this.#claim, lines, last ? [this.#progress(last, lines.length)] : [])))
      return false
    this.#acknowledge(lines.length)
    return true
  }

  #progress({ at }: LogStreamLine, count: number): Progress {
    const { id, capUsed } = this.#row
    // A build has one cap for its whole duration: counted as one minute.
    return {
      id,
      checkpoint: { stdout: { at, count: 1 }, stderr: NOWHERE },
      cap: { minute: 0n, used: capUsed + count, dropped: 0 },
    }
  }

  /** Finds out whether this attempt still has the stream, and how many of its lines were written. */
  async #verify(): Promise<void> {
    const { id, token } = this.#claim
    const [claim] = await this.#database.$queryRaw<{ lastNumber: bigint }[]>`
      SELECT last_number AS "lastNumber" FROM log_stream
      WHERE id = ${id} AND lease_token = ${token} AND lease_expires_at > now()`
    this.#isLost = !claim
    this.#isUnsure = false
    if (!claim) return
    this.#acknowledge(Number(claim.lastNumber - this.#claim.lastNumber))
    this.#claim.lastNumber = claim.lastNumber
  }

  #acknowledge(count: number): void {
    this.#lines.splice(0, count)
    this.#row.capUsed += count
  }
}
