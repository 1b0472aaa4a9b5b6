/**
 * Does `work` for every item, at most `limit` at a time, and waits for all of it even when some fails: when it throws
 * the first failure, no work is still running.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  const queue = items.entries()
  const takeTurns = async () => {
    for (const [position, item] of queue) {
      try {
        results[position] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, takeTurns))
  if (failures.length > 0) throw failures[0]
  return results
}
