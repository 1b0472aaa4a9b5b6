import { invalidField } from '../../domain/errors.ts'

/** A line's position in an environment's log: the number orders lines of the same nanosecond. */
export interface LogPosition {
  at: bigint
  number: bigint
}

/** The same in the logs of several environments: of one nanosecond, they come by the number of their log. */
export interface ManyPosition extends LogPosition {
  streamId: number
}

export const manyCursor = ({ at, streamId, number }: ManyPosition): string => `${at}.${streamId}.${number}`

export function manyPosition(cursor: string): ManyPosition {
  const [, at, streamId, number] = /^(\d{1,19})\.(\d{1,9})\.(\d{1,18})$/.exec(cursor) ?? []
  if (!at || !number || BigInt(at) > MAX_BIGINT)
    throw invalidField('cursor', 'must be a cursor of an earlier answer for several environments')
  return { at: BigInt(at), streamId: Number(streamId), number: BigInt(number) }
}

export const logCursor = ({ at, number }: LogPosition): string => `${at}.${number}`

/** The largest value that PostgreSQL stores. */
const MAX_BIGINT = 2n ** 63n - 1n

export function logPosition(cursor: string, field = 'cursor'): LogPosition {
  const [, at, number] = /^(\d{1,19})\.(\d{1,18})$/.exec(cursor) ?? []
  if (!at || !number || BigInt(at) > MAX_BIGINT)
    throw invalidField(field, `must be ${field === 'around' ? 'the id of a line' : 'a cursor of an earlier answer'}`)
  return { at: BigInt(at), number: BigInt(number) }
}

/** Live lines are followed by number alone, in the order in which they were written. */
export const liveCursor = (number: bigint): string => `live.${number}`

export function liveNumber(cursor: string): bigint {
  const [, number] = /^live\.(\d{1,18})$/.exec(cursor) ?? []
  if (!number) throw invalidField('cursor', 'must be a cursor of an earlier live answer')
  return BigInt(number)
}
