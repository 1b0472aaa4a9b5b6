import { randomUUID } from 'node:crypto'
import type { CallBounds } from '../../call-bounds.ts'
import type { CommandStreams } from '../../command-streams.ts'
import {
  type CommandControl,
  type ExecOptions,
  type ExecResult,
  RuntimeError,
} from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { EXEC_REFUSAL } from '../engine-words.ts'
import { carryStreams } from '../exec/carry-streams.ts'
import { execState, exitCodeOf } from '../exec/command-end.ts'
import { type CommandMark, killCommands, markerOf, signalOnce } from '../exec/kill-commands.ts'
import { type OpenExec, openExec } from '../exec/open-exec.ts'
import { silence, within } from '../within.ts'
import { getReplica } from './find-containers.ts'
import { brokenOff } from './refusals.ts'

/** Runs a command in a container. What it reads and writes passes through, and is never held whole. */
export async function execCommand(
  engine: DockerEngine,
  name: string,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  const seconds = options.timeoutSeconds ?? engine.callTimeoutSeconds
  const mark = { key: options.key ?? randomUUID(), user: options.user }
  const environment = [...Object.entries(options.environment ?? {}).map((pair) => pair.join('=')), markerOf(mark.key)]
  let containerId: string | null = null
  const timeUp = () =>
    containerId === null
      ? silence(engine, seconds)
      : new RuntimeError('COMMAND_TIMEOUT', `${command[0]} in ${name} did not end within ${seconds} s`)
  const run = async (signal: AbortSignal) => {
    const id = await within(engine, { signal }, (signal) => runningContainer(engine, name, signal))
    if (options.key !== undefined && !options.isKeyNew) await killCommands(engine, id, mark, { signal })
    containerId = id
    const open = await within(engine, { signal }, (signal) =>
      openExec(engine, id, { command, user: options.user, environment, terminal: options.terminal }, signal).catch(
        (error) => {
          throw statusOf(error) === 409 ? notRunning(name) : error
        },
      ),
    )
    options.onStarted?.(controlOf(engine, open, id, mark))
    return await converse(engine, open, name, options, signal)
  }
  try {
    return await within(engine, { signal: options.signal }, run, { seconds, timeUp })
  } catch (error) {
    // Whatever ended the call, nothing of the command may go on.
    if (containerId !== null) await killCommands(engine, containerId, mark).catch(() => {})
    throw error
  }
}

async function runningContainer(engine: DockerEngine, name: string, signal: AbortSignal): Promise<string> {
  const { Id, State } = await getReplica(engine, name, signal)
  if (!State.Running || State.Paused || State.Restarting) throw notRunning(name)
  return Id
}

const notRunning = (name: string) => new RuntimeError('NOT_RUNNING', `The container ${name} does not run`)

const controlOf = (
  engine: DockerEngine,
  { exec }: OpenExec,
  containerId: string,
  mark: CommandMark,
): CommandControl => ({
  resize: ({ columns, rows }, bounds) =>
    within(engine, bounds, () => exec.resize({ h: rows, w: columns })).catch(unlessEnded),
  signal: (name, bounds) => signalOnce(engine, containerId, mark, name, bounds).catch(unlessEnded),
})

/** The command has ended meanwhile, or its container has. */
function unlessEnded(error: unknown): void {
  const { cause } = error as { cause?: unknown }
  if (![404, 409, 500].includes(statusOf(cause ?? error) ?? 0)) throw error
}

async function converse(
  engine: DockerEngine,
  { exec, connection }: OpenExec,
  name: string,
  { input, output, errors, terminal }: ExecOptions,
  signal: AbortSignal,
): Promise<ExecResult> {
  const filter = new RefusalFilter(output)
  const { errorOutput, isWhole } = await carryStreams(
    connection,
    { input: input ?? null, output: filter.output, isTerminal: terminal !== undefined, ...(errors ? { errors } : {}) },
    signal,
  )
  const read = (signal: AbortSignal) =>
    execState(exec, signal).catch((error: unknown) => {
      // An engine forgets a container's commands with the container.
      throw statusOf(error) === 404 ? notRunning(name) : error
    })
  const exitCode = await exitCodeOf(engine, read, signal)
  if (!isWhole && exitCode === 0 && output) throw brokenOff()
  const refusal = await filter.end(exitCode)
  return { exitCode, errorOutput: refusal ?? errorOutput }
}

/** Exit codes with which the engine reports a command that does not exist or cannot be run. */
const CANNOT_RUN = [126, 127]
const BEGINNING = Buffer.from(EXEC_REFUSAL)

/**
 * Why the engine cannot start a command comes as the command's output. It belongs to the errors: what takes the output
 * must not see it.
 */
class RefusalFilter {
  readonly #output: CommandStreams['output']
  #isFirst = true
  #held: Uint8Array | null = null

  constructor(output: CommandStreams['output']) {
    this.#output = output
  }

  /** Bound, to be passed as an output. */
  readonly output = async (chunk: Uint8Array): Promise<void> => {
    const mayBeRefusal = this.#isFirst && BEGINNING.equals(chunk.subarray(0, BEGINNING.length))
    this.#isFirst = false
    if (mayBeRefusal) {
      this.#held = chunk
      return
    }
    await this.#release()
    await this.#output?.(chunk)
  }

  /** The engine's words; null for a command that has run. */
  async end(exitCode: number): Promise<string | null> {
    if (this.#held && CANNOT_RUN.includes(exitCode)) return Buffer.from(this.#held).toString('utf8').trim()
    await this.#release()
    return null
  }

  async #release(): Promise<void> {
    if (this.#held) await this.#output?.(this.#held)
    this.#held = null
  }
}

/** Kills what is left of the commands of a key, such as those of a worker that was killed. */
export const killExec = (engine: DockerEngine, name: string, key: string, bounds: CallBounds = {}): Promise<void> =>
  within(engine, bounds, async (signal) => {
    const { Id, State } = await getReplica(engine, name, signal)
    if (State.Running && !State.Paused) await killCommands(engine, Id, { key, user: undefined }, { signal })
  })
