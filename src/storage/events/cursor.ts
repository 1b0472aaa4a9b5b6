import { DomainError, invalidField } from '../../domain/errors.ts'

/** What clients are given: opaque to them, the sequence number to us. */
export const cursorOf = (sequence: bigint): string => String(sequence)

/** Throws INVALID_INPUT for what was never a cursor. */
export function sequenceOf(cursor: string): bigint {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidField('after', 'must be the cursor of an earlier event')
  return BigInt(cursor)
}

export const unknownCursor = (): DomainError => invalidField('after', 'is not a cursor of these events')

/**
 * Lets the client resume: whatever it reads after this error is no older than `continueAfter`. So it reads the
 * present state, follows events from there, and misses nothing.
 */
export function cursorExpired(last: bigint): DomainError {
  const continueAfter = cursorOf(last)
  const message =
    'The events after this cursor are no longer kept: read the present state anew, and follow it with ' +
    `after: "${continueAfter}"; or subscribe without a cursor, whose first answer is the present state`
  return new DomainError('CURSOR_EXPIRED', 'EVENTS_EXPIRED', message, { continueAfter })
}
