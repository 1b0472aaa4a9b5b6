import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { runtimeUnavailable } from '../../domain/errors.ts'
import type { ContainerRuntime, EngineMark } from '../../engines/runtime/container-runtime.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database } from '../../storage/database/client.ts'

/** How often the mark is replaced: a copy of the database knows the present one for so long at most. */
export const RENEW_MS = 10_000
/** A database that is somewhere else than it was waits so long for a sign of another holder. */
const WATCH_MS = 3 * RENEW_MS
/** Of the newest marks, so that one which a paused worker still makes is known. */
const NONCES_KEPT = 64

/** Where the database is, and where this Berth runs. */
export interface InstallationSite {
  /** A copy of the database elsewhere has another one. */
  place: string
  /** For the people who read the mark on the engine. */
  holder: string
}

interface OwnershipOptions {
  database: Database
  runtime: ContainerRuntime
  site: InstallationSite
  log: Logger
  /** For tests. */
  timing?: { renewMs: number; watchMs: number; clock: () => number }
}

interface Bounds {
  signal: AbortSignal
  timeoutSeconds: number
}

interface Known {
  nonces: string[]
  place: string
  isDue: boolean
}

const TAKEN =
  'Another Berth with the id of this installation works on the container engine, so this one leaves it alone. One of ' +
  'the two is a copy of the other. If this one shall go on, stop the other one and run: npm run engine:take-over. To ' +
  'try a backup out, give the copy a container engine of its own (DOCKER_HOST).'

/**
 * Whether this installation, as this database has it, may work on an engine. Its mark there has a random nonce that the
 * database knows, and is replaced at every start and every few seconds. A copy of the database does not learn the new
 * ones: it finds a mark that it does not know, and so does the original after a copy has taken the engine over.
 *
 * Any number of workers share one database, and so the marks. Nothing is concluded from times of the engine.
 */
export class EngineOwnership {
  readonly #options: OwnershipOptions
  readonly #timing: NonNullable<OwnershipOptions['timing']>
  #engineId: string | null = null
  #isHeld = false
  /** The last answer. */
  #refusal: string | null = 'It is not known yet whether the container engine is this installation’s'
  #watched: { since: number; newest: string | undefined } | null = null

  constructor(options: OwnershipOptions) {
    this.#options = options
    this.#timing = options.timing ?? { renewMs: RENEW_MS, watchMs: WATCH_MS, clock: () => performance.now() }
  }

  /**
   * Null when it may; otherwise why not, and what to do. Throws what the engine's calls throw. While the database is
   * away, the answer stays what it was: no lease can be had then.
   */
  async check(signal: AbortSignal, timeoutSeconds: number): Promise<string | null> {
    // One deadline for all calls: a process that was paused between two of them must not make a mark later.
    const late = new AbortController()
    const reason = () =>
      runtimeUnavailable(`The container engine did not say within ${timeoutSeconds} s who works on it`)
    const timer = setTimeout(() => late.abort(reason()), timeoutSeconds * 1000)
    try {
      return await this.#ask({ signal: AbortSignal.any([signal, late.signal]), timeoutSeconds })
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask(bounds: Bounds): Promise<string | null> {
    this.#engineId ??= await this.#options.runtime.identity(bounds)
    // Before the row: a nonce is in the database before its mark is on the engine.
    const marks = await this.#options.runtime.marks(bounds)
    const known = await this.#find(this.#engineId).catch(() => undefined)
    if (known === undefined) return this.#refusal
    const foreign = marks.filter(({ nonce }) => !known?.nonces.includes(nonce))
    if (foreign.length > 0) return this.#lose(foreign)
    if (marks.length === 0 && this.#isHeld) {
      // Storage that was wiped, perhaps with another engine in the place of this one.
      this.#engineId = null
      this.#isHeld = false
      return this.#ask(bounds)
    }
    if (!this.#isHeld && known && this.#isElsewhere(known)) {
      this.#refusal = 'Waiting to see whether another Berth with the id of this installation works on the engine'
      return this.#refusal
    }
    if (!this.#isHeld || known?.isDue) await this.#renew(known, marks, bounds)
    return this.#refusal
  }

  async #find(engineId: string): Promise<Known | null> {
    const [found] = await this.#options.database.$queryRaw<Known[]>`
      SELECT nonces, place, renewed_at < now() - ${this.#timing.renewMs} * interval '1 millisecond' AS "isDue"
      FROM engine_mark WHERE engine_id = ${engineId}`
    return found ?? null
  }

  #lose(foreign: readonly EngineMark[]): string {
    const holders = foreign.map(({ holder }) => holder)
    if (this.#refusal !== TAKEN) this.#options.log.error({ holders, engineId: this.#engineId }, TAKEN)
    this.#isHeld = false
    this.#watched = null
    this.#refusal = TAKEN
    return TAKEN
  }

  /**
   * A database that was moved, or copied together with its newest mark: the original renews that mark sooner or later.
   * Another worker of this very database, which is elsewhere, shows in the database itself.
   */
  #isElsewhere({ place, nonces: [newest] }: Known): boolean {
    if (place === this.#options.site.place) return false
    const { clock, watchMs } = this.#timing
    this.#watched ??= { since: clock(), newest }
    if (this.#watched.newest !== newest) return false
    return clock() - this.#watched.since < watchMs
  }

  async #renew(known: Known | null, marks: readonly EngineMark[], bounds: Bounds): Promise<void> {
    const { runtime, site, log } = this.#options
    const nonce = randomBytes(8).toString('hex')
    const present = marks.map((mark) => mark.nonce)
    const rest = (known?.nonces ?? []).filter((one) => !present.includes(one))
    const nonces = [nonce, ...present, ...rest].slice(0, NONCES_KEPT)
    // Another worker may have renewed it meanwhile: it holds the engine for the same database.
    const isRecorded = await this.#record(known, nonces).catch(() => undefined)
    if (isRecorded === undefined) return
    if (isRecorded) {
      failpoint('mark.recorded')
      await runtime.addMark({ nonce, holder: site.holder }, bounds)
      failpoint('mark.added')
      for (const one of present) await runtime.removeMark(one, bounds)
    }
    if (this.#isHeld) return
    // Two copies may have found an engine without a mark at the same time: the later one sees both.
    const now = await runtime.marks(bounds)
    const row = await this.#find(this.#engineId ?? '').catch(() => undefined)
    if (row === undefined) return
    const foreign = now.filter((mark) => !row?.nonces.includes(mark.nonce))
    if (foreign.length > 0) {
      await runtime.removeMark(nonce, bounds)
      this.#lose(foreign)
      return
    }
    if (this.#refusal === TAKEN) log.info({ engineId: this.#engineId }, 'The container engine is this installation’s')
    this.#isHeld = true
    this.#watched = null
    this.#refusal = null
  }

  /** False when another worker was faster. */
  async #record(known: Known | null, nonces: string[]): Promise<boolean> {
    const { database, site } = this.#options
    const engineId = this.#engineId
    const written = known
      ? await database.$executeRaw`
          UPDATE engine_mark SET nonces = ${nonces}::text[], place = ${site.place}, renewed_at = now()
          WHERE engine_id = ${engineId} AND nonces = ${known.nonces}::text[]`
      : await database.$executeRaw`
          INSERT INTO engine_mark (engine_id, nonces, place, renewed_at)
          VALUES (${engineId}, ${nonces}::text[], ${site.place}, now()) ON CONFLICT DO NOTHING`
    return written > 0
  }
}
