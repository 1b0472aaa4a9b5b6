/** Shares of a volume's size at which its environment is warned, in percent. */
const THRESHOLDS = [100, 95, 80] as const

export interface VolumeUse {
  usedMb: number | null
  diskMb: number
}

/** The highest threshold that the data has reached; 0 for none. */
export const fullPercentOf = ({ usedMb, diskMb }: VolumeUse): number =>
  THRESHOLDS.find((percent) => (usedMb ?? 0) * 100 >= percent * diskMb) ?? 0

/** What is said of a volume that fills up; null while there is room. */
export function volumeWarning(use: VolumeUse): string | null {
  const percent = fullPercentOf(use)
  if (percent === 0) return null
  const share = Math.floor(((use.usedMb ?? 0) * 100) / use.diskMb)
  return `The volume is ${share} % full: ${use.usedMb} of ${use.diskMb} MB. Give it more disk, or remove data`
}
