import { setTimeout as pause } from 'node:timers/promises'
import { type LogLine, RuntimeError } from '../runtime.ts'
import { statusOf } from './answers.ts'
import type { Engine } from './connection.ts'
import { findContainer } from './find-containers.ts'
import { readLogs } from './logs.ts'

/** What a shell, and the engine's init process, exit with when a command cannot be run, or is not there. */
const CANNOT_RUN = [126, 127]

const CHECK_EVERY_MS = 15
const CHECKS = 40

/**
 * Tells a command that cannot be run. The engine itself does not: it starts its init process, and that fails to start
 * the command. So ask for the container's processes (about 10 ms): one besides init means that the command runs.
 * Throws CONTAINER_START_FAILED. A program that starts and then crashes is not our matter; readiness finds that.
 */
export async function checkStarted(
  engine: Engine,
  containerId: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  for (let check = 0; check < CHECKS; check += 1) {
    if (await runsCommand(engine, containerId, signal)) return
    const state = (await findContainer(engine, containerId, signal))?.State
    if (state && state.Status !== 'running') {
      if (CANNOT_RUN.includes(state.ExitCode)) throw await cannotRun(engine, containerId, name, signal)
      return
    }
    await pause(CHECK_EVERY_MS, undefined, { signal })
  }
}

async function runsCommand(engine: Engine, containerId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const options = { abortSignal: signal }
    const top: { Processes: string[][] | null } = await engine.docker.getContainer(containerId).top(options)
    return (top.Processes ?? []).some((process) => !process.at(-1)?.startsWith('/sbin/docker-init '))
  } catch (error) {
    // Not running, restarting, or gone between the engine's two looks at it: the inspection says which.
    if (statusOf(error) !== null) return false
    throw error
  }
}

async function cannotRun(
  engine: Engine,
  containerId: string,
  name: string,
  signal: AbortSignal,
): Promise<RuntimeError> {
  const lines = await Array.fromAsync(readLogs(engine, containerId, { tail: 3 }, signal))
  return new RuntimeError('CONTAINER_START_FAILED', `The command of ${name} cannot be run${lastWords(lines)}`)
}

/** The init process's complaint, without its name and process id: `[FATAL tini (7)] exec x failed: …`. */
function lastWords(lines: LogLine[]): string {
  const words = lines.at(-1)?.message.replace(/^\[\w+ +tini \(\d+\)\] /, '')
  return words ? `: ${words}` : ''
}
