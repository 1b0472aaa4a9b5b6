import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalOf, megabytesText, moneyText, quantityText, sumOfDecimals } from '../../../text/decimal.ts'

const SCALE = 6
const units = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })

describe('decimal numbers', () => {
  test('are summed exactly, in any order', () => {
    fc.assert(
      fc.property(fc.array(units), (all) => {
        const sum = all.reduce((total, each) => total + each, 0n)
        const written = all.map((each) => decimalOf(each, SCALE))
        expect(sumOfDecimals(written)).toBe(decimalOf(sum, SCALE))
        expect(sumOfDecimals([...written].reverse())).toBe(decimalOf(sum, SCALE))
      }),
    )
  })

  test('sum up whatever the number of their places', () => {
    expect(sumOfDecimals(['0.1', '0.2'])).toBe('0.3')
    expect(sumOfDecimals(['1', '0.000417', '-0.5'])).toBe('0.500417')
    expect(sumOfDecimals(['nothing', ''])).toBe('0')
    expect(sumOfDecimals([])).toBe('0')
  })

  test('are money with two places, small amounts with four', () => {
    expect(moneyText('6.905', 'EUR')).toBe('€6.91')
    expect(moneyText('0', 'EUR')).toBe('€0.00')
    expect(moneyText('0.00041', 'USD')).toBe('$0.0004')
    expect(moneyText('3', 'not a code')).toBe('3 not a code')
  })

  test('are quantities in the unit in which one thinks of them', () => {
    expect(quantityText('7200', 'ZCLOUD_SECOND')).toBe('2 zCloud h')
    expect(quantityText('90', 'SECOND')).toBe('1.5 min')
    expect(quantityText(String(1024 * 86_400), 'MB_SECOND')).toBe('1 GB days')
    expect(megabytesText(1536)).toBe('1.5 GB')
    expect(megabytesText(20)).toBe('20 MB')
  })
})
