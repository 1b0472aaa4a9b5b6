import { DomainError, unavailable } from '../domain/errors.ts'
import { Prisma } from './generated/prisma/client.ts'

const RETRY_AFTER_SECONDS = 2

/** Prisma's names for: unreachable, refused, timed out, closed, pool exhausted, transaction not started or lost. */
const UNREACHABLE = new Set(['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037'])

/** PostgreSQL's own: deadlock, serialization failure. */
const TRANSIENT_STATES = /40P01|40001/

const isKnown = (error: unknown): error is Prisma.PrismaClientKnownRequestError =>
  error instanceof Prisma.PrismaClientKnownRequestError

/** True when the transaction left nothing behind and would probably succeed if it were run again. */
export function isTransient(error: unknown): boolean {
  if (!isKnown(error)) return false
  return error.code === 'P2034' || (error.code === 'P2010' && TRANSIENT_STATES.test(error.message))
}

/** A database that is away is not the caller's mistake, nor a fault to be masked: 503, try again. */
export function asDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  if (!isUnreachable(error)) return error
  const refusal = unavailable('The database does not answer at the moment; nothing was changed', RETRY_AFTER_SECONDS)
  // Not for the caller: the log says what it was.
  refusal.cause = error
  return refusal
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof Prisma.PrismaClientInitializationError) return true
  if (isKnown(error)) return UNREACHABLE.has(error.code) || isCancelledBySettings(error)
  return (
    error instanceof Error && /ECONNREFUSED|ECONNRESET|terminat|Connection .*closed|not queryable/i.test(error.message)
  )
}

/** lock_timeout, statement_timeout, and the server's own shutting down. */
const isCancelledBySettings = (error: Prisma.PrismaClientKnownRequestError): boolean =>
  error.code === 'P2010' && /55P03|57014|57P0[1-3]/.test(error.message)
