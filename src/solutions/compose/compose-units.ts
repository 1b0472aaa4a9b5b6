import { booleanOf, type ComposeProblems } from './compose-problems.ts'

/** Reads numbers, sizes and durations; each adds why it cannot, and then answers null. */

const SECONDS = { h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001 } as const

/** A duration such as 1m30s, in whole seconds, at least one. */
export function readSeconds(given: unknown, place: string, max: number, problems: ComposeProblems): number | null {
  const text = String(given)
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(h|ms|us|m|s)/g)]
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join('') === text
  const seconds = parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * SECONDS[unit as keyof typeof SECONDS],
    0,
  )
  const whole = Math.max(1, Math.ceil(seconds))
  if (isDuration && whole <= max) return whole
  problems.add(place, `must be a duration of at most ${max}s, such as 10s or 1m`)
  return null
}

export function readWhole(
  given: unknown,
  place: string,
  { min, max, hint = '' }: { min: number; max: number; hint?: string },
  problems: ComposeProblems,
): number | null {
  const number = /^\d{1,15}$/.test(String(given)) ? Number(given) : null
  if (number !== null && number >= min && number <= max) return number
  problems.add(place, `must be ${min} to ${max}${hint}`)
  return null
}

export function readBoolean(given: unknown, place: string, problems: ComposeProblems): boolean | null {
  const value = booleanOf(given)
  if (value === null) problems.add(place, 'must be true or false')
  return value
}

const POWERS = ['', 'k', 'm', 'g', 't']

/** A size such as 512m or 1.5G, or a number of bytes, in MB, rounded up. */
export function readMegabytes(
  given: unknown,
  place: string,
  { min, max }: { min: number; max: number },
  problems: ComposeProblems,
): number | null {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,9})?) ?([kmgtKMGT]?)i?[bB]?$/.exec(String(given)) ?? []
  const megabytes =
    number === undefined ? null : (Number(number) * 1024 ** POWERS.indexOf(unit.toLowerCase())) / 1024 ** 2
  const whole = megabytes === null ? null : Math.ceil(megabytes)
  if (whole !== null && whole >= min && whole <= max) return whole
  problems.add(place, `must be a size of ${min}M to ${max}M, such as 512m or 1g`)
  return null
}
