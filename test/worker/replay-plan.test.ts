import { describe, expect, test } from 'vitest'
import type { WalPiece } from '../../src/storage/database/generated/prisma/client.ts'
import { choosePieces, gapIn } from '../../src/worker/backups/replay-plan.ts'
import { readWalState } from '../../src/worker/point-in-time/collect-wal.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 30, 12, minute))
const piece = (number: number, minute: number | null) =>
  ({ number, until: minute === null ? null : at(minute) }) as WalPiece
// The second of a log that came in two pieces says nothing of a time.
const PIECES = [piece(3, 1), piece(4, 2), piece(5, null), piece(6, 4), piece(7, 9)]

const chosen = (minute: number | null, consistentPiece = 4) => {
  const { target, first, further, last } = choosePieces(PIECES, consistentPiece, minute === null ? null : at(minute))
  return { target, last, numbers: [first, further].map((pieces) => pieces.map(({ number }) => number)) }
}

describe('the pieces of a log that restore a moment', () => {
  test('end with the first one that is known to hold a later change', () => {
    expect(chosen(3)).toEqual({
      target: at(3).toISOString(),
      last: 6,
      numbers: [
        [3, 4],
        [5, 6],
      ],
    })
    expect(chosen(4)).toEqual({
      target: at(4).toISOString(),
      last: 6,
      numbers: [
        [3, 4],
        [5, 6],
      ],
    })
    expect(chosen(5)).toEqual({
      target: at(5).toISOString(),
      last: 7,
      numbers: [
        [3, 4],
        [5, 6, 7],
      ],
    })
  })

  test('are those that make the files consistent, when the moment is in them, or none is named', () => {
    expect(chosen(2)).toEqual({ target: at(2).toISOString(), last: 4, numbers: [[3, 4], []] })
    expect(chosen(null)).toEqual({ target: 'consistent', last: 4, numbers: [[3, 4], []] })
  })

  test('are all, to their end, when nothing was committed after them', () => {
    expect(chosen(30)).toEqual({
      target: 'end',
      last: null,
      numbers: [
        [3, 4],
        [5, 6, 7],
      ],
    })
  })

  test('are missed one by one', () => {
    expect(gapIn(PIECES, 3, 7)).toBeNull()
    expect(gapIn(PIECES, 2, 7)).toBe(2)
    expect(gapIn([piece(3, 1), piece(5, 2)], 3, 5)).toBe(4)
    expect(gapIn(PIECES, 3, 8)).toBe(8)
    expect(gapIn([], 1, 1)).toBe(1)
  })
})

describe('what an engine says of its log', () => {
  test('is read whole, or not at all', () => {
    const mark = '730:732:730,731'
    expect(readWalState(`2026-11-30T12:00:00.123Z|4|7|t|${mark}\n`)).toEqual({
      until: new Date('2026-11-30T12:00:00.123Z'),
      first: 4n,
      next: 7n,
      hasChanged: true,
      mark,
    })
    expect(readWalState('lost\n')).toBeNull()
    for (const words of ['', 'ERROR', '2026-11-30T12:00:00Z|x|7|t|1', 'today|4|7|t|1', '2026-11-30T12:00:00Z|4|7||1'])
      expect(() => readWalState(words)).toThrow('nothing readable')
  })
})
