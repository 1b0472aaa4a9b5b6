import { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'

/** Runs one proof on a test cluster of its own. After a failure its files stay for inspection; its processes end. */
export async function proveOnTestCluster(
  prove: (cluster: TestCluster) => Promise<void>,
  { isKept = false, ...options }: TestClusterOptions & { isKept?: boolean } = {},
): Promise<void> {
  const cluster = await startTestCluster(options)
  let isLeft = isKept
  const closing = (signal: NodeJS.Signals) =>
    void cluster.close(isLeft).finally(() => process.kill(process.pid, signal))
  // Processes are no children of the terminal: who ends the proof ends them.
  process.once('SIGINT', closing).once('SIGTERM', closing)
  try {
    await prove(cluster)
  } catch (error) {
    isLeft = true
    console.log(`Left for inspection: ${cluster.folder}`)
    throw error
  } finally {
    process.off('SIGINT', closing).off('SIGTERM', closing)
    await cluster.close(isLeft)
  }
}
