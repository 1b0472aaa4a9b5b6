import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sizeText } from '../../../text/size.ts'

test('sizes are short, and in order', () => {
  expect([0, 512, 1_024, 3_976_501, 12 * 2 ** 30].map(sizeText)).toEqual(['0 B', '512 B', '1.0 KB', '3.8 MB', '12 GB'])
})

const UNITS = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 }

test('any size is said to within a twentieth of itself, in at most four digits', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (bytes) => {
      const [, number = '', unit = ''] = /^(\d{1,4}(?:\.\d)?) (\w+)$/.exec(sizeText(bytes)) ?? []
      const said = Number(number) * UNITS[unit as keyof typeof UNITS]
      expect(Math.abs(said - bytes)).toBeLessThanOrEqual(bytes / 19)
    }),
  )
})
