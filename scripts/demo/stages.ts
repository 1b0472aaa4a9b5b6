/** Runs one stage of the demo and prints how long it took. */
export async function stage<T>(label: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    const result = await work()
    console.log(`  ✓ ${label} (${Math.round(performance.now() - startedAt)} ms)`)
    return result
  } catch (error) {
    console.log(`  ✗ ${label}`)
    throw error
  }
}
