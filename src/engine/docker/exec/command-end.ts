import { setTimeout as pause } from 'node:timers/promises'
import type { DockerEngine } from '../connection.ts'
import { within } from '../within.ts'

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500

interface State {
  isRunning: boolean
  exitCode: number
}

/**
 * The exit code of a command whose output has ended: the engine knows it a moment later, or much later if the command
 * has closed its output and goes on. Until the signal.
 */
export async function exitCodeOf(
  engine: DockerEngine,
  read: (signal: AbortSignal) => Promise<State>,
  signal: AbortSignal,
): Promise<number> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const { isRunning, exitCode } = await within(engine, { signal }, read)
    if (!isRunning) return exitCode
    await pause(pauseMs, undefined, { signal })
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}
