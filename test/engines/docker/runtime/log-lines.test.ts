import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogLines, MAX_LINE_BYTES } from '../../../../src/engines/docker/runtime/log-lines.ts'

const TIMESTAMP = '2026-01-02T03:04:05.678901234Z'
const NANOSECONDS = BigInt(Date.parse('2026-01-02T03:04:05Z')) * 1_000_000n + 678_901_234n
const STREAMS = ['stdout', 'stderr'] as const

/** One frame as engines send it: header, timestamp, and text that ends in a newline unless more of the line follows. */
function frame(stream: (typeof STREAMS)[number], text: string | Buffer): Buffer {
  const payload = Buffer.concat([Buffer.from(`${TIMESTAMP} `), Buffer.from(text)])
  const header = Buffer.alloc(8)
  header[0] = stream === 'stderr' ? 2 : 1
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

const lineText = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ' '))

test('reads the same lines however the stream is cut into chunks', () => {
  const lines = fc.array(fc.record({ stream: fc.constantFrom(...STREAMS), message: lineText }), { maxLength: 20 })
  const cuts = fc.array(fc.nat(2000), { maxLength: 30 })
  fc.assert(
    fc.property(lines, cuts, (said, at) => {
      const bytes = Buffer.concat(said.map(({ stream, message }) => frame(stream, `${message}\n`)))
      const edges = [0, ...at.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
      const reader = new LogLines()
      const read = edges.slice(1).flatMap((end, position) => reader.read(bytes.subarray(edges[position], end)))
      const when = { timestamp: new Date(TIMESTAMP), nanoseconds: NANOSECONDS }
      expect([...read, ...reader.end()]).toEqual(said.map((line) => ({ ...line, ...when })))
    }),
  )
})

test('joins the frames of a long line, and cuts it between characters', () => {
  const whole = Buffer.from(`x${'é'.repeat(20_000)}`)
  const reader = new LogLines()
  const frames = [
    whole.subarray(0, 16_384),
    whole.subarray(16_384, 32_768),
    Buffer.concat([whole.subarray(32_768), Buffer.from('\n')]),
  ]
  const lines = frames.flatMap((part) => reader.read(frame('stdout', part)))
  expect(lines.map(({ message }) => message).join('')).toBe(whole.toString())
  expect(lines.map(({ isPartial }) => isPartial)).toEqual([true, true, undefined])
  for (const { message } of lines) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(MAX_LINE_BYTES)
})

test('keeps the parts of a line on one stream apart from a line that arrives in between on the other', () => {
  const reader = new LogLines()
  const half = 'x'.repeat(MAX_LINE_BYTES)
  const frames = [
    frame('stdout', half),
    frame('stderr', 'between\n'),
    frame('stdout', ' a line\r\n'),
    frame('stdout', 'rest'),
  ]
  const lines = [...frames.flatMap((part) => reader.read(part)), ...reader.end()]
  expect(lines.map(({ stream, message }) => [stream, message])).toEqual([
    ['stderr', 'between'],
    ['stdout', half],
    ['stdout', ' a line'],
    ['stdout', 'rest'],
  ])
})

test('ends a line with the run that said it last: the next run begins another one', () => {
  const reader = new LogLines()
  const frames = [frame('stdout', 'last words'), frame('stdout', 'next run\n'), frame('stderr', 'panic')]
  expect(frames.flatMap((part) => reader.read(part)).map(({ message }) => message)).toEqual([
    'last words',
    'next run',
    'panic',
  ])
})
