import { PassThrough, pipeline } from 'node:stream'
import type { CommandStreams } from '../../../src/engines/command-streams.ts'
import { LastWords } from '../../../src/engines/last-words.ts'
import type { ExecResult } from '../../../src/engines/runtime/container-runtime.ts'
import type { Program } from './program.ts'
import { type ProcessOptions, RunningProcess } from './running-process.ts'

const PIPE_BYTES = 64 * 1024

type Surroundings = Omit<ProcessOptions, 'write' | 'input' | 'send'>

interface Started {
  surroundings: Surroundings
  streams: CommandStreams & { errors: CommandStreams['output'] }
}

/** One run of a program for a caller, who gives its input and takes its output. */
export class MemoryCommand {
  readonly process: RunningProcess
  readonly #errors = new LastWords()
  readonly #output: CommandStreams['output']
  /** Output that the program did not wait for. */
  #pending: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | null = null

  readonly #takeErrors: CommandStreams['output']
  readonly #hasTerminal: boolean

  constructor(program: Program, { surroundings, streams }: Started) {
    const { input, output, errors } = streams
    this.#output = output
    this.#takeErrors = errors
    // Its outputs are one.
    this.#hasTerminal = Boolean(surroundings.terminal)
    this.process = new RunningProcess(program, {
      ...surroundings,
      ...(input ? { input: this.#pipe(input) } : {}),
      write: (text, stream) => void this.#take(Buffer.from(text), stream),
      send: (chunk) => this.#take(chunk, 'stdout'),
    })
  }

  /** Kills it when the signal fires. Throws the signal's reason, or the error of the input or output. */
  async result(signal: AbortSignal): Promise<ExecResult> {
    const kill = () => this.process.kill()
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    const { exitCode } = await this.process.ended
    signal.removeEventListener('abort', kill)
    signal.throwIfAborted()
    await this.#pending
    if (this.#failure) throw this.#failure.error
    return { exitCode, errorOutput: this.#errors.text }
  }

  #take(chunk: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> {
    const isError = stream === 'stderr' && !this.#hasTerminal
    if (isError) this.#errors.add(chunk)
    const take = isError ? this.#takeErrors : this.#output
    this.#pending = this.#pending.then(() => take?.(chunk)).catch((error: unknown) => this.#fail(error))
    return this.#pending
  }

  /** Takes as much more than the program has asked for as a pipe holds. */
  #pipe(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const pipe = new PassThrough({ highWaterMark: PIPE_BYTES })
    // What goes wrong with the input is noted before; what else ends here is the end of the program.
    pipeline(this.#watched(input), pipe, () => {})
    return pipe
  }

  async *#watched(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* input
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.process.kill()
  }
}
