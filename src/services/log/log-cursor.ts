import { invalidField } from '../../domain/errors.ts'

/** A line's position in an environment's log: the number orders lines of the same nanosecond. */
export interface LogPosition {
  at: bigint
  number: bigint
}

export const logCursor = ({ at, number }: LogPosition): string => `${at}.${number}`

/** The largest value that PostgreSQL stores. */
const MAX_BIGINT = 2n ** 63n - 1n

export function logPosition(cursor: string): LogPosition {
  const [, at, number] = /^(\d{1,19})\.(\d{1,18})$/.exec(cursor) ?? []
  if (!at || !number || BigInt(at) > MAX_BIGINT) throw invalidField('cursor', 'must be a cursor of an earlier answer')
  return { at: BigInt(at), number: BigInt(number) }
}

/** Live lines are followed by number alone, in the order in which they were written. */
export const liveCursor = (number: bigint): string => `live.${number}`

export function liveNumber(cursor: string): bigint {
  const [, number] = /^live\.(\d{1,18})$/.exec(cursor) ?? []
  if (!number) throw invalidField('cursor', 'must be a cursor of an earlier live answer')
  return BigInt(number)
}
