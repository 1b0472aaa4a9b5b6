import { type Laboratory, type LaboratoryOptions, openLaboratory } from './test-cluster.ts'

/** Plays one proof in a laboratory of its own. What failed stays for a look, less its processes. */
export async function proveInLaboratory(
  prove: (lab: Laboratory) => Promise<void>,
  { isKept = false, ...options }: LaboratoryOptions & { isKept?: boolean } = {},
): Promise<void> {
  const lab = await openLaboratory(options)
  let isLeft = isKept
  const closing = (signal: NodeJS.Signals) => void lab.close(isLeft).finally(() => process.kill(process.pid, signal))
  // Processes are no children of the terminal: who ends the proof ends them.
  process.once('SIGINT', closing).once('SIGTERM', closing)
  try {
    await prove(lab)
  } catch (error) {
    isLeft = true
    console.log(`Left for a look: ${lab.folder}`)
    throw error
  } finally {
    process.off('SIGINT', closing).off('SIGTERM', closing)
    await lab.close(isLeft)
  }
}
