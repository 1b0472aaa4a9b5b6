import { expect, test } from 'vitest'
import { plainText } from '../../src/worker/text/plain-text.ts'

test('text from a program loses what cannot be stored or should not be shown', () => {
  expect(plainText('a\u0000b\u001b[31mred\u001b[0m\tc\nd\u0007')).toBe('abred\tc\nd')
  expect(plainText('half \ud800')).toBe('half')
})

test('a long text is cut, and not within a character', () => {
  const cut = plainText('é'.repeat(3_000))
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2_048)
  expect(cut).toMatch(/^é+$/)
})
