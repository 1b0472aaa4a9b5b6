import { expect, test } from 'vitest'
import { WholeLines } from '../../../src/engines/docker/whole-lines.ts'

const MAX_BYTES = 40

const TEXTS: Record<string, string> = {
  'lines, empty ones and a carriage return': 'one\n\n\ntwo\r\n three\n',
  'characters of several bytes': 'größe\n€uro\n😀\n',
  'no newline at the end': 'one\ntwo',
  'no newline at all': 'one',
  'a line of just as many bytes as one may have': `${'x'.repeat(MAX_BYTES)}\nnext\n`,
  nothing: '',
}

function read(bytes: Buffer, size: number, keepsEnd = false): string[] {
  const whole = new WholeLines(MAX_BYTES, { keepsEnd })
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += size) lines.push(...whole.add(bytes.subarray(at, at + size)))
  const rest = whole.end()
  return rest === null ? lines : [...lines, rest]
}

const SIZES = Array.from({ length: 60 }, (_, at) => at + 1)

test.each(Object.entries(TEXTS))('%s are read alike, wherever the chunks end', (_, text) => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const size of SIZES)
    for (const keepsEnd of [true, false]) expect(read(Buffer.from(text), size, keepsEnd)).toEqual(lines)
})

test('a line that is too long is left out, and those beside it are read', () => {
  const long = 'x'.repeat(MAX_BYTES + 1)
  for (const size of SIZES) {
    expect(read(Buffer.from(`one\n${long}\ntwo\n${long}${long}${long}\nthree\n`), size)).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(read(Buffer.from(`one\n${long}`), size)).toEqual(['one'])
  }
})

test('of a line that is too long, the end is kept, from a whole character on', () => {
  const text = 'äöüß€😀'.repeat(100)
  for (const size of SIZES) {
    const [first, kept = '', last] = read(Buffer.from(`one\n${text}\ntwo\n`), size, true)
    expect([first, last]).toEqual(['one', 'two'])
    expect(text.endsWith(kept)).toBe(true)
    expect(Buffer.byteLength(kept)).toBeGreaterThan(MAX_BYTES - 4)
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(2 * MAX_BYTES)
  }
})
