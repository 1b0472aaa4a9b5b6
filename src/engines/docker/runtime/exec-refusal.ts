import type { CommandStreams } from '../../command-streams.ts'
import { EXEC_REFUSAL } from '../engine-words.ts'

/** Exit codes with which the engine reports a command that does not exist or cannot be run. */
const CANNOT_RUN = [126, 127]
const BEGINNING = Buffer.from(EXEC_REFUSAL)

/**
 * Why the engine cannot start a command comes as the command's output. It belongs to the errors: what takes the output
 * must not see it.
 */
export class RefusalFilter {
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
