import type { Duplex } from 'node:stream'
import type { Exec } from 'dockerode'
import type { DockerEngine } from '../connection.ts'

interface ExecSpec {
  command: readonly string[]
  user: string | undefined
  /** `NAME=value`. */
  environment: string[]
}

export interface OpenExec {
  exec: Exec
  /** Both outputs in frames, and the input until it is ended. */
  connection: Duplex
}

/** Starts a command in a container, attached to a connection of its own. */
export async function openExec(
  { docker }: DockerEngine,
  containerId: string,
  { command, user, environment }: ExecSpec,
  signal: AbortSignal,
): Promise<OpenExec> {
  const exec = await docker.getContainer(containerId).exec({
    Cmd: [...command],
    ...(user === undefined ? {} : { User: user }),
    Env: environment,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal: signal,
  })
  const connection = await exec.start({ hijack: true, stdin: false, Tty: false, abortSignal: signal })
  return { exec, connection }
}
