/** How a figure differed from turn to turn. */
export interface Spread {
  median: number
  least: number
  most: number
}

/** NaN when there are none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
})

/** Of one turn to the turn beside it, because a machine that is shared is not as fast in the next minute. */
export const ratiosOf = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.map((value, turn) => value / (theirs[turn] ?? Number.NaN))

/** `412 (398–420)` */
export const inWhole = ({ median, least, most }: Spread): string => `${whole(median)} (${whole(least)}–${whole(most)})`

const whole = (value: number): string => Math.round(value).toLocaleString('en')
