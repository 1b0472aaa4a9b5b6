import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  idsOf,
  indexOfKey,
  isLine,
  lastIdOf,
  type SentLine,
  withNewer,
  withOlder,
} from '../../console/src/screens/logs/log-rows.ts'

/** A log as the API sends it: lines of two containers, some of them in pieces. */
const log = fc
  .array(fc.record({ container: fc.constantFrom('web-0', 'web-1'), pieces: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 30,
  })
  .map((lines) =>
    lines.flatMap(({ container, pieces }, line) =>
      Array.from({ length: pieces }, (_, piece): SentLine => {
        const timestamp = new Date(1_000_000 + line).toISOString()
        const rest = { stream: 'STDOUT', level: null, contentId: 'version', __typename: undefined } as const
        return {
          ...rest,
          id: `${line}.${piece}`,
          timestamp,
          containerName: container,
          message: `${line}/${piece} `,
          isPartial: piece < pieces - 1,
        }
      }),
    ),
  )

test('lines that are read in pages, from anywhere in both directions, are those of the log: none twice, none missing', () => {
  fc.assert(
    fc.property(log, fc.nat(), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (lines, from, sizes) => {
      const start = lines.length === 0 ? 0 : from % (lines.length + 1)
      let [older, newer] = [start, start]
      let rows = withNewer([], [], () => false)
      const held = () => {
        const ids = new Set(idsOf(rows))
        return (id: string) => ids.has(id)
      }
      for (const size of sizes) {
        if (older === 0 && newer === lines.length) break
        // Pages that go on overlap with what is held already.
        rows = withNewer(rows, lines.slice(Math.max(older, newer - 2), newer + size), held())
        newer = Math.min(lines.length, newer + size)
        const next = Math.max(0, older - size)
        rows = withOlder(rows, lines.slice(next, older))
        older = next
      }
      expect([...idsOf(rows)]).toEqual(lines.map(({ id }) => id))
      expect(rows.flatMap((row) => (isLine(row) ? [row.message] : [])).join('')).toBe(
        lines.map(({ message }) => message).join(''),
      )
      // A line in pieces is one row, however the pages cut it.
      expect(rows.length).toBe(lines.filter(({ isPartial }) => !isPartial).length)
      expect(rows.map(({ key }) => key)).toEqual(rows.map(({ key }) => key).sort((a, b) => a - b))
      for (const [at, { key }] of rows.entries()) expect(indexOfKey(rows, key)).toBe(at)
      expect(lastIdOf(rows)).toBe(lines.at(-1)?.id ?? null)
    }),
  )
})
