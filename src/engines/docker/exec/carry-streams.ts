import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isHostExhausted } from '../../../domain/host-exhausted.ts'
import type { CommandStreams } from '../../command-streams.ts'
import { LastWords } from '../../last-words.ts'
import { readFrames, readPlainly } from './stream-frames.ts'

const END_OF_TRANSMISSION = Buffer.of(4)

export interface Carried {
  errorOutput: string
  /** False when the engine hung up before the end of the output, as it does on input that no program reads any more. */
  isWhole: boolean
}

interface CarriedStreams extends CommandStreams {
  errors?: CommandStreams['output']
  /** The connection has no frames: a terminal has one output. */
  isTerminal?: boolean
}

/**
 * Carries a command's input and output over the engine's connection until the output ends. Each side waits for the
 * other: a slow reader stops the command, and a slow command stops the input. Throws the signal's reason, or the error
 * of the input or output; the connection is closed in any case.
 */
export async function carryStreams(
  connection: Duplex,
  { input, output, errors: takeErrors, isTerminal = false }: CarriedStreams,
  signal: AbortSignal,
): Promise<Carried> {
  const errors = new LastWords()
  const feed = new Feed(connection, input ?? null, isTerminal)
  const close = () => connection.destroy()
  signal.addEventListener('abort', close, { once: true })
  // The loop below reports it; later ones, such as of a write after the end, say nothing.
  connection.on('error', () => {})
  try {
    signal.throwIfAborted()
    void feed.run()
    for await (const { source, chunk } of isTerminal ? readPlainly(connection) : readFrames(connection)) {
      if (source === 'stderr') {
        errors.add(chunk)
        await takeErrors?.(chunk)
      } else await output?.(chunk)
      signal.throwIfAborted()
    }
    signal.throwIfAborted()
    if (feed.failure) throw feed.failure.error
    return { errorOutput: errors.text, isWhole: true }
  } catch (error) {
    signal.throwIfAborted()
    if (feed.failure) throw feed.failure.error
    if (connection.errored !== error || isHostExhausted(error)) throw error
    return { errorOutput: errors.text, isWhole: false }
  } finally {
    signal.removeEventListener('abort', close)
    feed.stop()
    close()
  }
}

/** The input on its way to the command. */
class Feed {
  failure: { error: unknown } | null = null
  readonly #connection: Duplex
  readonly #input: AsyncIterator<Uint8Array> | null
  readonly #isTerminal: boolean
  #isStopped = false

  constructor(connection: Duplex, input: AsyncIterable<Uint8Array> | null, isTerminal: boolean) {
    this.#connection = connection
    this.#isTerminal = isTerminal
    this.#input = input?.[Symbol.asyncIterator]() ?? null
  }

  async run(): Promise<void> {
    try {
      for (;;) {
        const next = await this.#input?.next()
        // The end of a command that reads no further is seen first: an error of writing would lose its last output.
        await nextTurn()
        if (this.#isStopped || this.#connection.destroyed) return
        if (!next || next.done) break
        if (!(await this.#write(next.value))) return
      }
      await this.#end()
    } catch (error) {
      if (this.#isStopped) return
      this.failure = { error }
      this.#connection.destroy()
    }
  }

  /** Not awaited: an input that is stuck must not keep the result of a command that has ended. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    void Promise.resolve(this.#input?.return?.()).catch(() => {})
  }

  /** An engine that sees the end of a terminal's input hands out no more of its output: the terminal gets a Ctrl-D. */
  async #end(): Promise<void> {
    if (!this.#isTerminal) this.#connection.end()
    else if (this.#input) await this.#write(END_OF_TRANSMISSION)
  }

  /** False when the connection is closed. */
  #write(chunk: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#connection.write(chunk, (error) => resolve(!error)))
  }
}
