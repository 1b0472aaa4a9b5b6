import { DomainError, invalidField, unavailable } from '../../domain/errors.ts'
import type { ReasonOf } from '../../domain/reasons.ts'
import { isDiskFull } from '../files/file-faults.ts'
import { databaseFault, databaseFaultInWords, isRequestError, stateOf } from './away.ts'

const RETRY_AFTER_SECONDS = 2

/** Deadlock, serialization failure. */
const TRANSIENT_STATES = /^(40P01|40001)$/

/** A NUL, which PostgreSQL's text and JSON cannot hold. Inputs of writes are checked for it; ids in queries are not. */
const NUL_STATES = /^(22021|22P05)$/

/** True when the transaction left nothing behind and would probably succeed if it ran again. */
export function isTransient(error: unknown): boolean {
  if (!isRequestError(error)) return false
  return error.code === 'P2034' || TRANSIENT_STATES.test(stateOf(error))
}

/** Another transaction held the lock for longer than the lock timeout. */
export const isLockTimeout = (error: unknown): boolean =>
  isRequestError(error) && error.code === 'P2010' && error.message.includes('55P03')

/**
 * A database, or a disk, that is away or full is not the caller's mistake, and no internal error to mask: 503, with what is
 * wrong as the reason.
 */
export function asDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  if (NUL_STATES.test(stateOf(error))) return invalidField('body', 'must not contain a NUL character')
  const fault = databaseFault(error)
  if (fault) return refused(`${databaseFaultInWords(fault)}; nothing was changed`, fault, error)
  if (isDiskFull(error)) return refused('The disk of the data directory is full; nothing was kept', 'DISK_FULL', error)
  return error
}

/** Whether the database, or a disk, is why it failed; a later attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
  const known = asDomainError(error)
  return known instanceof DomainError && known.code === 'UNAVAILABLE'
}

function refused(message: string, reason: ReasonOf<'UNAVAILABLE'>, cause: unknown): DomainError {
  const refusal = unavailable(message, RETRY_AFTER_SECONDS, reason)
  // Not for the caller; the log has the cause.
  refusal.cause = cause
  return refusal
}
