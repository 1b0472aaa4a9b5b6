import { setTimeout as pause } from 'node:timers/promises'
import type { Exec } from 'dockerode'
import type { DockerEngine } from '../connection.ts'
import { within } from '../within.ts'

const FIRST_PAUSE_MS = 10
const MAX_PAUSE_MS = 500

interface State {
  isRunning: boolean
  exitCode: number
}

/** Of a command of exec. One that has no exit code yet has not ended, though the engine may not call it running yet. */
export async function execState(exec: Exec, abortSignal: AbortSignal): Promise<State> {
  const { Running, ExitCode } = await exec.inspect({ abortSignal })
  return { isRunning: Running || ExitCode === null, exitCode: ExitCode ?? 0 }
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
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}
