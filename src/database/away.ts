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

/** PostgreSQL's own part of the message; empty for other errors. The rest may quote the caller's input. */
export const stateOf = ({ code, message }: RequestError): string =>
  (FROM_POSTGRES.has(code) && /\bCode: `(\w{5})`/.exec(message)?.[1]) || ''

/** Whether a call failed because PostgreSQL did not answer, and not because of what it was asked. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'PrismaClientInitializationError') return true
  if (isRequestError(error)) return UNREACHABLE.has(error.code) || AWAY_STATES.test(stateOf(error))
  return AWAY_WORDS.test(error.message)
}
