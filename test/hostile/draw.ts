import fc from 'fast-check'

/** Draws values from a seed: the same seed draws the same values, so that any single case can be repeated. */
export interface Draw {
  whole(min: number, max: number): number
  one<T>(items: readonly T[]): T
  /** True about so often: 0.25 is once in four. */
  chance(share: number): boolean
  from<T>(arbitrary: () => fc.Arbitrary<T>): T
}

/** fast-check likes the ends of a range, which would draw the first of a list most of the time. */
const even = (min: number, max: number) => fc.noBias(fc.integer({ min, max }))

/** The draw of one numbered case of a run. */
export function drawOf(seed: number, index: number): Draw {
  const [value] = fc.sample(fc.gen(), { seed: (Math.imul(seed, 0x9e3779b1) ^ index) | 0, numRuns: 1 })
  if (!value) throw new Error('fast-check drew nothing')
  const whole = (min: number, max: number) => value(even, min, max)
  return {
    whole,
    one(items) {
      const item = items[whole(0, items.length - 1)]
      return item as (typeof items)[number]
    },
    chance: (share) => whole(0, 999) < share * 1000,
    from: (arbitrary) => value(arbitrary),
  }
}
