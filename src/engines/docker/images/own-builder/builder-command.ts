import type { CommandStreams } from '../../../command-streams.ts'
import type { DockerEngine } from '../../connection.ts'
import { carryStreams } from '../../exec/carry-streams.ts'
import { execState, exitCodeOf } from '../../exec/command-end.ts'
import { openExec } from '../../exec/open-exec.ts'

export interface CommandEnd {
  exitCode: number
  /** The last 8 KiB of standard error. */
  errorOutput: string
}

/** Runs a command in a builder. When the signal fires its connection is closed, which ends what reads its input. */
export async function runInBuilder(
  engine: DockerEngine,
  containerId: string,
  command: readonly string[],
  streams: CommandStreams,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { exec, connection } = await openExec(
    engine,
    containerId,
    { command, user: undefined, environment: [] },
    signal,
  )
  const { errorOutput } = await carryStreams(connection, streams, signal)
  const read = (abortSignal: AbortSignal) => execState(exec, abortSignal)
  return { exitCode: await exitCodeOf(engine, read, signal), errorOutput }
}

/** What a command prints, which must be little. Throws when it fails. */
export async function readFromBuilder(
  engine: DockerEngine,
  containerId: string,
  command: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const chunks: Uint8Array[] = []
  const output = (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  const { exitCode, errorOutput } = await runInBuilder(engine, containerId, command, { output }, signal)
  if (exitCode !== 0) throw new Error(`${command[0]} in the builder ended with ${exitCode}: ${errorOutput.trim()}`)
  return Buffer.concat(chunks).toString()
}
