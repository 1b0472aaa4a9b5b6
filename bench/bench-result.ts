/** One claim of speed: a ratio against a named reference, measured in the same run on the same data. */
export interface BenchResult {
  name: string
  /** Ours divided by the reference's. */
  ratio: number
  aim: number
  /** Whether the aim is a floor (throughput) or a ceiling (time). */
  better: 'higher' | 'lower'
  detail: string
  /** What stands in the way of a better ratio. */
  limitedBy: string
}

export const meetsAim = ({ ratio, aim, better }: BenchResult): boolean =>
  better === 'higher' ? ratio >= aim : ratio <= aim
