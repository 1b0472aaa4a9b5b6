/** Prisma's names for: unreachable, refused, timed out, closed, pool exhausted, transaction not started or lost. */
const UNREACHABLE = new Set(['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'])

/** Prisma's codes for PostgreSQL's own errors; the message contains the SQLSTATE. */
const FROM_POSTGRES = new Set(['P2010', 'P2039'])

/**
 * Lock and statement timeouts, a server that stops or crashes, a lost connection, and a server out of connections,
 * memory or disk.
 */
const AWAY_STATES = /^(55P03|57014|57P0\d|25P03|08\d{3}|08P01|53\d{3}|58030)$/

const AWAY_WORDS = /ECONNREFUSED|ECONNRESET|connection .*(terminated|closed)|terminating connection|not queryable/i

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

/** Whether a call failed because PostgreSQL did not answer, and not because of what it was asked. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'PrismaClientInitializationError' || error instanceof ConnectionLost) return true
  if (isServerError(error)) return AWAY_STATES.test(error.code)
  if (isRequestError(error)) return UNREACHABLE.has(error.code) || AWAY_STATES.test(stateOf(error))
  return AWAY_WORDS.test(error.message)
}
