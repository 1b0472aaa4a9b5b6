/** Decimal numbers as the API writes them, such as `0.000417`: amounts that must not be rounded by binary fractions. */
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/** The exact sum; texts that are no decimal numbers count as nothing. */
export function sumOfDecimals(amounts: readonly string[]): string {
  const parts = amounts.flatMap((amount) => {
    const found = DECIMAL.exec(amount)
    return found ? [{ sign: found[1] ?? '', whole: found[2] ?? '0', fraction: found[3] ?? '' }] : []
  })
  const scale = Math.max(0, ...parts.map(({ fraction }) => fraction.length))
  const sum = parts.reduce(
    (total, { sign, whole, fraction }) => total + BigInt(`${sign}${whole}${fraction.padEnd(scale, '0')}`),
    0n,
  )
  return decimalOf(sum, scale)
}

/** `1500000` at scale 6 as `1.5`. */
export function decimalOf(units: bigint | number, scale: number): string {
  const value = BigInt(units)
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`
}

/** `€6.91`; below one with four places, because containers cost little by the hour. */
export function moneyText(amount: string, currency: string): string {
  const isSmall = Math.abs(Number(amount)) < 1 && Number(amount) !== 0
  try {
    return new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: isSmall ? 4 : 2,
    }).format(amount as Intl.StringNumericLiteral)
  } catch {
    // What the installation calls its currency is no code of ISO 4217.
    return `${amount} ${currency}`
  }
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Of what was used, in the unit in which one thinks of it. */
export function quantityText(quantity: string, unit: 'ZCLOUD_SECOND' | 'SECOND' | 'MB_SECOND'): string {
  const seconds = Number(quantity)
  if (unit === 'ZCLOUD_SECOND') return `${numbers.format(seconds / 3_600)} zCloud h`
  if (unit === 'SECOND') return `${numbers.format(seconds / 60)} min`
  return `${numbers.format(seconds / 1_024 / 86_400)} GB days`
}

/** `1536` MB as `1.5 GB`. */
export function megabytesText(megabytes: number): string {
  if (megabytes < 1_024) return `${numbers.format(megabytes)} MB`
  if (megabytes < 1_024 * 1_024) return `${numbers.format(megabytes / 1_024)} GB`
  return `${numbers.format(megabytes / 1_024 / 1_024)} TB`
}
