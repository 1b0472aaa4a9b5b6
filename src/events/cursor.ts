import { DomainError, invalidField } from '../domain/errors.ts'

/** What clients are given: opaque to them, the sequence number to us. */
export const cursorOf = (sequence: bigint): string => String(sequence)

/** Throws INVALID_INPUT for what was never a cursor. */
export function sequenceOf(cursor: string): bigint {
  if (!/^\d{1,18}$/.test(cursor)) throw invalidField('after', 'must be the cursor of an earlier event')
  return BigInt(cursor)
}

export const cursorExpired = (): DomainError =>
  new DomainError(
    'CURSOR_EXPIRED',
    undefined,
    'The events after this cursor are no longer kept: read the present state by subscribing without a cursor, and go on from there',
  )
