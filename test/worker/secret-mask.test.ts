import { expect, test } from 'vitest'
import { maskedError } from '../../src/worker/text/masked-error.ts'
import { plainText } from '../../src/worker/text/plain-text.ts'
import { createMask, MASK } from '../../src/worker/text/secret-mask.ts'

const SECRET = 'p@ss "wörd"/1234'
const mask = createMask([SECRET, 'short', 'first line of a key\nsecond line of a key\n'])

test('a secret is masked as it is, and escaped for JSON and URLs', () => {
  const url = encodeURIComponent(SECRET)
  const forms = [SECRET, JSON.stringify(SECRET), url, url.toLowerCase(), url.replaceAll('%20', '+')]
  for (const form of forms) {
    const masked = mask(`before ${form} after`)
    expect(masked).toContain(MASK)
    expect(masked).not.toMatch(/1234|w%C3|w%c3|wörd/)
  }
})

test.each(['', 'u:', 'user:', 'someone:'])(
  'a secret is masked in the base64 of a text that begins with "%s"',
  (prefix) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${prefix}${SECRET}`).toString(encoding)
      const masked = mask(`Authorization: Basic ${encoded}`)
      expect(masked).toContain(MASK)
      expect(masked.length).toBeLessThan(`Authorization: Basic ${encoded}`.length)
    }
  },
)

test('a secret of several lines is masked line by line, and a very short one is not', () => {
  expect(mask('  second line of a key')).toBe(`  ${MASK}`)
  expect(mask('a short text')).toBe('a short text')
})

test('neither control sequences nor a cut leave a part of a secret', () => {
  expect(plainText('p@ss \u001b[1m"wörd"\u001b[0m/1234', mask)).toBe(MASK)
  const long = 'x'.repeat(1_000)
  const ofLong = createMask([long])
  expect(plainText(`${long} ${'y'.repeat(2_020)}`, ofLong)).not.toContain('x')
  expect(ofLong(long.repeat(132))).not.toContain('x')
})

test('an error is masked in its message and its stack', () => {
  const error = maskedError(new TypeError(`cannot use ${SECRET}`), mask)
  expect([error.message, error.name]).toEqual([`cannot use ${MASK}`, 'TypeError'])
  expect(error.stack).not.toContain(SECRET)
})

test('500 long secrets mask a megabyte of output in a moment', () => {
  const since = process.cpuUsage()
  const many = createMask(Array.from({ length: 500 }, (_, at) => `${at} `.repeat(2_000)))
  many('0 1 2 3 4 5 6 7 8 9 '.repeat(50_000))
  // Processor time, which other programs do not add to.
  expect(process.cpuUsage(since).user).toBeLessThan(2_000_000)
})
