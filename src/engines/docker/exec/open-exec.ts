import type { Duplex } from 'node:stream'
import type { Exec } from 'dockerode'
import type { TerminalSize } from '../../../domain/remote-session.ts'
import type { DockerEngine } from '../connection.ts'

interface ExecSpec {
  command: readonly string[]
  user: string | undefined
  /** `NAME=value`. */
  environment: string[]
  terminal?: TerminalSize | undefined
}

export interface OpenExec {
  exec: Exec
  /** Both outputs in frames, or the output of a terminal, and the input until it is ended. */
  connection: Duplex
}

/** Starts a command in a container, attached to a connection of its own. */
export async function openExec(
  { docker }: DockerEngine,
  containerId: string,
  { command, user, environment, terminal }: ExecSpec,
  signal: AbortSignal,
): Promise<OpenExec> {
  const exec = await docker.getContainer(containerId).exec({
    Cmd: [...command],
    ...(user === undefined ? {} : { User: user }),
    Env: environment,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: terminal !== undefined,
    // Engines before 1.42 ignore it: the caller sets the size again once it is started.
    ...(terminal ? { ConsoleSize: [terminal.rows, terminal.columns] } : {}),
    abortSignal: signal,
  })
  const connection = await exec.start({ hijack: true, stdin: false, Tty: terminal !== undefined, abortSignal: signal })
  return { exec, connection }
}
