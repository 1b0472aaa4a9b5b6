import type { PartFault, PartState } from '../../domain/part-states.ts'

/** What can be wrong with the database, whatever it was asked. The names are states in `/readyz` and reasons of refusals. */
export type DatabaseFault = Extract<PartFault, `DATABASE_${string}` | 'RIGHTS_MISSING'>

/** In words for callers and operators. */
const WORDS: Readonly<Record<DatabaseFault, string>> = {
  DATABASE_UNREACHABLE: 'The database does not answer',
  DATABASE_FULL: 'The disk of the database is full',
  DATABASE_READ_ONLY: 'The database is read-only',
  DATABASE_SLOW: 'The database does not answer in time',
  DATABASE_EXHAUSTED: 'The database is out of connections or memory',
  DATABASE_REFUSES: 'The database does not let Berth in',
  RIGHTS_MISSING: 'The database role of this process lacks a right',
}

/** By PostgreSQL's error state (SQLSTATE); the first that matches. */
const BY_STATE: readonly (readonly [RegExp, DatabaseFault])[] = [
  [/^53100$/, 'DATABASE_FULL'],
  [/^53\w{3}$/, 'DATABASE_EXHAUSTED'],
  [/^25006$/, 'DATABASE_READ_ONLY'],
  [/^42501$/, 'RIGHTS_MISSING'],
  // Lock and statement timeouts, and a transaction that idled for too long.
  [/^(55P03|57014|25P03)$/, 'DATABASE_SLOW'],
  [/^(28000|28P01|3D000)$/, 'DATABASE_REFUSES'],
  // A server that starts, stops or crashes, a lost connection, and a disk that fails.
  [/^(57P0\d|08\w{3}|58030)$/, 'DATABASE_UNREACHABLE'],
]

/** Prisma's names for: unreachable, refused, timed out, closed, pool exhausted, transaction not started or lost. */
const BY_PRISMA: ReadonlyMap<string, DatabaseFault> = new Map([
  ['P1000', 'DATABASE_REFUSES'],
  ['P1001', 'DATABASE_UNREACHABLE'],
  ['P1002', 'DATABASE_SLOW'],
  ['P1008', 'DATABASE_SLOW'],
  ['P1011', 'DATABASE_UNREACHABLE'],
  ['P1017', 'DATABASE_UNREACHABLE'],
  ['P2024', 'DATABASE_SLOW'],
  ['P2028', 'DATABASE_SLOW'],
  ['P2037', 'DATABASE_EXHAUSTED'],
])

/** Prisma's codes for PostgreSQL's own errors; the message contains the SQLSTATE. */
const FROM_POSTGRES = new Set(['P2010', 'P2039'])

const AWAY_WORDS =
  /ECONNREFUSED|ECONNRESET|connection .{0,200}(terminated|closed)|terminating connection|not queryable/i
/** The driver's own deadlines, which have no code. */
const SLOW_WORDS = /Query read timeout|^timeout expired$|timeout exceeded when trying to connect/

export interface RequestError extends Error {
  code: string
}

/** By name: the log of an ingress needs these rules too, and an ingress does not load the client. */
export const isRequestError = (error: unknown): error is RequestError =>
  error instanceof Error && error.name === 'PrismaClientKnownRequestError'

/** What PostgreSQL answered to a statement that did not go through Prisma. By its fields: the driver gives it no name. */
const isServerError = (error: unknown): error is RequestError =>
  error instanceof Error && 'severity' in error && 'code' in error

/** PostgreSQL's error state; empty for other errors. Of a message only its part is read: the rest may quote callers. */
export function stateOf(error: unknown): string {
  if (isServerError(error)) return error.code
  if (!isRequestError(error) || !FROM_POSTGRES.has(error.code)) return ''
  return /\bCode: `(\w{5})`/.exec(error.message)?.[1] ?? ''
}

/** A statement that could not be sent, or whose connection ended before its answer. */
export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** What is wrong with the database that made a call fail; null where the call itself is to blame. */
export function databaseFault(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error)) return null
  if (isServerError(error) || isRequestError(error)) {
    const fromPrisma = isRequestError(error) ? (BY_PRISMA.get(error.code) ?? unanswered(error)) : null
    return fromPrisma ?? byState(stateOf(error))
  }
  if (error.name === 'PrismaClientInitializationError' || error instanceof ConnectionLost) return 'DATABASE_UNREACHABLE'
  if (!isOfDriver(error)) return null
  if (SLOW_WORDS.test(error.message)) return 'DATABASE_SLOW'
  return AWAY_WORDS.test(error.message) ? 'DATABASE_UNREACHABLE' : null
}

/**
 * What the driver throws has no class of its own. An error that has one may quote anything: the last words of a container
 * that does not reach its own database, or of a git server that closed the connection.
 */
const isOfDriver = (error: Error): boolean =>
  error.constructor === Error || error.constructor === AggregateError || /^(Prisma|DriverAdapter)/.test(error.name)

/** A raw statement that PostgreSQL did not answer has no error state. */
const unanswered = ({ code, message }: RequestError): DatabaseFault | null =>
  FROM_POSTGRES.has(code) && /\bCode: `N\/A`/.test(message) ? 'DATABASE_UNREACHABLE' : null

const byState = (state: string): DatabaseFault | null => BY_STATE.find(([pattern]) => pattern.test(state))?.[1] ?? null

/** Whether a call failed because of the database, and not because of what it was asked. */
export const isDatabaseAway = (error: unknown): boolean => databaseFault(error) !== null

export const databaseFaultInWords = (fault: DatabaseFault): string => WORDS[fault]

/** The state of a part that failed with the error. */
export function failedPart(error: unknown): PartState {
  const fault = databaseFault(error)
  if (fault === null) return { ready: false, reason: error instanceof Error ? oneLine(error.message) : String(error) }
  return {
    ready: false,
    state: fault,
    reason: `${WORDS[fault]}${detailOf(error as Error)}`,
    isServing: STILL_READS.has(fault),
  }
}

/** Reads are answered, and so this process is of use. */
const STILL_READS: ReadonlySet<DatabaseFault> = new Set(['DATABASE_FULL', 'DATABASE_READ_ONLY'])

const detailOf = (error: Error): string => {
  const state = stateOf(error)
  return state ? ` (${state})` : ''
}

/** Prisma's messages quote the code around the call. What happened is on the last line. */
export function oneLine(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const [first = ''] = lines
  const last = lines.filter((line) => line !== '').at(-1) ?? ''
  return lines.length === 1 || first === last ? first || last : [first, last].filter((line) => line !== '').join(' ')
}
