/** One performance claim: a ratio against a named reference, measured in the same run on the same data. */
export interface BenchResult {
  name: string
  /** Ours divided by the reference's. */
  ratio: number
  aim: number
  /** Whether the aim is a minimum (throughput) or a maximum (time). */
  better: 'higher' | 'lower'
  detail: string
  /** What prevents a better ratio. */
  limitedBy: string
}

export const meetsAim = ({ ratio, aim, better }: BenchResult): boolean =>
  better === 'higher' ? ratio >= aim : ratio <= aim
