import { setTimeout as sleep } from 'node:timers/promises'
import type { PartState } from '../../domain/part-states.ts'
import { failedPart } from './away.ts'
import type { Database } from './client.ts'
import { knownMigrations, UNKNOWN_MIGRATION } from './newer-schema.ts'
import { schemaState } from './schema-readiness.ts'

/** Below the deadline of a check in `/readyz`, so that it is the database that is named. */
const ANSWER_MS = 1_800
const SLOW_MS = 1_000
/** Parts that are checked at once share a question. */
const SHARED_MS = 250
/** How long the disk of the database is taken for what it was found. */
const ROOM_KEPT_MS = 10_000
const ROOM_KEPT_WHILE_FULL_MS = 1_000
/** More may be the way of the question and a busy machine. */
const MAX_CLOCK_DIFFERENCE_MS = 5_000
const JUMP_TOLD_MS = 10 * 60_000

const STATE = `
  SELECT (${UNKNOWN_MIGRATION}) AS "unknownMigration",
         current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery() AS "isReadOnly",
         (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"`

/** Writes some 300 KB into a temporary file on the disk of the database, and leaves nothing: no table, no log, no vacuum. */
const ROOM = 'SELECT count(*) FROM generate_series(1, 10000)'

interface Answered {
  unknownMigration: string | null
  isReadOnly: boolean
  /** The database's time. */
  nowMs: number
  tookMs: number
  /** This process's time, by both of its clocks, in the middle of the question. */
  wallMs: number
  monotonicMs: number
}

/** Finds out how the database is, for `/readyz`: whether it answers, takes writes, has room, and what its clock says. */
export class DatabaseProbe {
  readonly #database: Database
  #asked: { answer: Promise<Answered>; at: number } | null = null
  #room: { fault: PartState | null; until: number } = { fault: null, until: 0 }
  /** The database's clock, compared with one of this process that is never set. */
  #offsetMs: number | null = null
  #jump: { byMs: number; at: number; sinceMs: number } | null = null

  constructor(database: Database) {
    this.#database = database
  }

  /** A newer Berth may have migrated it while this process runs: requests belong to the newer processes then. */
  async state(): Promise<PartState> {
    try {
      const { unknownMigration, isReadOnly, tookMs } = await this.#ask()
      if (unknownMigration) return schemaState(unknownMigration)
      if (isReadOnly)
        return { ready: false, isServing: true, state: 'DATABASE_READ_ONLY', reason: 'The database is read-only' }
      const full = await this.#findRoom()
      if (full) return full
      if (tookMs > SLOW_MS)
        return { ready: true, state: 'DATABASE_SLOW', reason: `The database answered after ${Math.round(tookMs)} ms` }
      return { ready: true, reason: null }
    } catch (error) {
      return failedPart(error)
    }
  }

  /** Berth takes its time from the database; the clock of this machine shows in logs and in what apps see. */
  async clock(): Promise<PartState> {
    try {
      const { nowMs, wallMs } = await this.#ask()
      const skewed = clockState('the database', nowMs - wallMs)
      if (skewed.state) return skewed
    } catch {
      return { ready: true, reason: 'The database does not answer, so the clocks could not be compared' }
    }
    const jump = this.#jump
    if (!jump || performance.now() - jump.sinceMs > JUMP_TOLD_MS) return { ready: true, reason: null }
    const reason = `The clock of the database went ${inSeconds(jump.byMs)} ${jump.byMs > 0 ? 'forward' : 'back'} at ${new Date(jump.at).toISOString()}`
    return { ready: true, state: 'CLOCK_JUMPED', reason }
  }

  #ask(): Promise<Answered> {
    if (!this.#asked || performance.now() - this.#asked.at > SHARED_MS)
      this.#asked = { answer: this.#question(), at: performance.now() }
    return this.#asked.answer
  }

  async #question(): Promise<Answered> {
    const beganAt = performance.now()
    const rows = await inTime(
      this.#database.$queryRawUnsafe<Omit<Answered, 'tookMs'>[]>(STATE, await knownMigrations()),
    )
    const [row] = rows
    if (!row) throw new Error('The state of the database has no row')
    const tookMs = performance.now() - beganAt
    const answered = { ...row, tookMs, wallMs: Date.now() - tookMs / 2, monotonicMs: beganAt + tookMs / 2 }
    this.#noteClock(answered)
    return answered
  }

  #noteClock({ nowMs, monotonicMs, tookMs }: Answered): void {
    // A slow answer says little about the time.
    if (tookMs > SLOW_MS) return
    const offsetMs = nowMs - monotonicMs
    const byMs = this.#offsetMs === null ? 0 : offsetMs - this.#offsetMs
    if (Math.abs(byMs) > MAX_CLOCK_DIFFERENCE_MS) this.#jump = { byMs, at: nowMs, sinceMs: performance.now() }
    this.#offsetMs = offsetMs
  }

  async #findRoom(): Promise<PartState | null> {
    if (performance.now() < this.#room.until) return this.#room.fault
    const database = this.#database
    const fault = await inTime(
      database.$transaction([
        database.$executeRawUnsafe(`SET LOCAL work_mem = '64kB'`),
        database.$queryRawUnsafe(ROOM),
      ]),
    ).then(() => null, failedPart)
    this.#room = { fault, until: performance.now() + (fault ? ROOM_KEPT_WHILE_FULL_MS : ROOM_KEPT_MS) }
    return fault
  }
}

/** Compares another clock with this machine's; `whose` completes “The clock of …”. */
export function clockState(whose: string, aheadMs: number): PartState {
  if (Math.abs(aheadMs) <= MAX_CLOCK_DIFFERENCE_MS) return { ready: true, reason: null }
  const difference = `${inSeconds(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  return { ready: true, state: 'CLOCK_SKEWED', reason: `The clock of ${whose} is ${difference} that of this machine` }
}

const inSeconds = (ms: number) => `${Math.round(Math.abs(ms) / 1000)} s`

/** The pool and the server wait for longer than a probe may. */
async function inTime<Result>(question: PromiseLike<Result>): Promise<Result> {
  const giveUp = new AbortController()
  const late = sleep(ANSWER_MS, undefined, { signal: giveUp.signal, ref: false }).then(() => {
    throw new Error('Query read timeout')
  })
  late.catch(() => {})
  try {
    return await Promise.race([question, late])
  } finally {
    giveUp.abort()
  }
}
