/** Does the numbered pieces of work so many at a time, in order of their numbers. */
export async function inParallel(count: number, slots: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const slot = async () => {
    while (next < count) {
      const index = next
      next += 1
      await work(index)
    }
  }
  await Promise.all(Array.from({ length: slots }, slot))
}
