import { DomainError, invalidField, unavailable } from '../domain/errors.ts'
import { Prisma } from './generated/prisma/client.ts'

const RETRY_AFTER_SECONDS = 2

/** Prisma's names for: unreachable, refused, timed out, closed, pool exhausted, transaction not started or lost. */
const UNREACHABLE = new Set(['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'])

/** Prisma's codes for PostgreSQL's own errors; the message contains the SQLSTATE. */
const FROM_POSTGRES = new Set(['P2010', 'P2039'])

/** Deadlock, serialization failure. */
const TRANSIENT_STATES = /^(40P01|40001)$/

/**
 * Lock and statement timeouts, a server that stops or crashes, a lost connection, and a server out of connections,
 * memory or disk.
 */
const AWAY_STATES = /^(55P03|57014|57P0\d|25P03|08\d{3}|08P01|53\d{3}|58030)$/

/** A NUL, which PostgreSQL's text and JSON cannot hold. Inputs of writes are checked for it; ids in queries are not. */
const NUL_STATES = /^(22021|22P05)$/

const isKnown = (error: unknown): error is Prisma.PrismaClientKnownRequestError =>
  error instanceof Prisma.PrismaClientKnownRequestError

/** PostgreSQL's own part of the message; empty for other errors. The rest may quote the caller's input. */
const stateOf = (error: Prisma.PrismaClientKnownRequestError): string =>
  (FROM_POSTGRES.has(error.code) && /\bCode: `(\w{5})`/.exec(error.message)?.[1]) || ''

/** True when the transaction left nothing behind and would probably succeed if it ran again. */
export function isTransient(error: unknown): boolean {
  if (!isKnown(error)) return false
  return error.code === 'P2034' || TRANSIENT_STATES.test(stateOf(error))
}

/** Another transaction held the lock for longer than the lock timeout. */
export const isLockTimeout = (error: unknown): boolean =>
  isKnown(error) && error.code === 'P2010' && error.message.includes('55P03')

/** An unreachable database is not the caller's mistake, and no internal error to mask: 503, try again. */
export function asDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  if (isKnown(error) && NUL_STATES.test(stateOf(error))) return invalidField('body', 'must not contain a NUL character')
  if (!isUnreachable(error)) return error
  const refusal = unavailable('The database does not answer at the moment; nothing was changed', RETRY_AFTER_SECONDS)
  // Not for the caller; the log has the cause.
  refusal.cause = error
  return refusal
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  if (isKnown(error)) return UNREACHABLE.has(error.code) || AWAY_STATES.test(stateOf(error))
  return (
    error instanceof Error &&
    /ECONNREFUSED|ECONNRESET|connection .*(terminated|closed)|terminating connection|not queryable/i.test(error.message)
  )
}
