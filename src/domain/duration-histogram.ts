/** Steps of a third more each: what is read from them is as exact. */
const FACTOR = 4 / 3
const STEPS = 40
const FIRST_MS = 1

/** The step of a duration: the first one that it does not exceed. 75 seconds and more are the last one. */
const stepOf = (ms: number): number =>
  Math.min(STEPS - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / Math.log(FACTOR))))

/** Counts a duration among those that were counted before; the list ends with the highest step that has one. */
export function countDuration(counts: number[], ms: number): void {
  const step = stepOf(ms)
  while (counts.length <= step) counts.push(0)
  counts[step] = (counts[step] ?? 0) + 1
}

const limitMs = (step: number) => FIRST_MS * FACTOR ** step

/** The duration that this part of all did not exceed, evenly spread within its step; null when nothing was counted. */
export function percentileMs(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let below = 0
  for (const [step, count] of counts.entries()) {
    if (count > 0 && below + count >= part * total) {
      const least = step === 0 ? 0 : limitMs(step - 1)
      return least + (limitMs(step) - least) * ((part * total - below) / count)
    }
    below += count
  }
  return limitMs(counts.length - 1)
}
