import { setTimeout as pause } from 'node:timers/promises'
import type { ContainerInspectInfo } from 'dockerode'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { findContainer } from './find-containers.ts'
import { removeContainer } from './remove.ts'
import { cannotRun, commandFault, lastLineOf } from './start-fault.ts'

/**
 * As `ps` shows the init process, alive or about to be reaped, and the OCI runtime in its place: the engine answers as
 * soon as the runtime is about to become the init process, which on a busy machine takes a while.
 */
const INIT_PROCESS = /^(\/sbin\/docker-init |\[docker-init\]|(runc|crun|\/proc\/self\/exe) init\b|\[?runc:\[)/

const CHECK_EVERY_MS = 15
const CHECKS = 120

/**
 * Detects a command that cannot be run. The engine itself does not: it starts its init process, which then fails to
 * start the command. So list the container's processes (about 10 ms): one other than init means that the command runs.
 * Throws CONTAINER_START_FAILED. A program that starts and then crashes is left to the readiness probe.
 */
export async function checkStarted(
  engine: DockerEngine,
  containerId: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  for (let check = 0; check < CHECKS; check += 1) {
    if (await runsCommand(engine, containerId, signal)) return
    const found = await findContainer(engine, containerId, signal)
    if (found?.State.Status !== 'running') {
      if (found && cannotRun(found.State.ExitCode)) await failStart(engine, found, name, signal)
      return
    }
    await pause(CHECK_EVERY_MS, undefined, { signal })
  }
}

async function runsCommand(engine: DockerEngine, containerId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const options = { abortSignal: signal }
    const top: { Processes: string[][] | null } = await engine.docker.getContainer(containerId).top(options)
    return (top.Processes ?? []).some((process) => !INIT_PROCESS.test(process.at(-1) ?? ''))
  } catch (error) {
    // Not running, restarting, or gone between the engine's two answers: the inspection says which.
    if (statusOf(error) !== null) return false
    throw error
  }
}

/** Removes the container: it would restart again and again, and appear to run in between. */
async function failStart(
  engine: DockerEngine,
  { Id: id, Image: image }: ContainerInspectInfo,
  subject: string,
  signal: AbortSignal,
): Promise<never> {
  const words = await lastLineOf(engine, id, signal)
  const fault = await commandFault(engine, { image, subject, words }, signal)
  await removeContainer(engine, id, { graceSeconds: 0 }, signal)
  throw fault
}
