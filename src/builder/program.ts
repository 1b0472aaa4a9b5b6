import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'

const KILL_AFTER_MS = 2_000
const MAX_OUTPUT = 64 * 1024

export interface ProgramRun {
  /** Working directory. */
  directory: string
  /** The whole environment: the program inherits nothing from the worker. */
  environment: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  /**
   * Gets the output piece by piece; when omitted, the beginning is collected and returned. Throwing ends the program.
   */
  onOutput?: (text: string) => void
}

/** The program ended with an exit code other than 0; `words` is its error output. */
export class ProgramFailure extends Error {
  readonly words: string

  constructor(words: string) {
    super(words)
    this.name = 'ProgramFailure'
    this.words = words
  }
}

/** The program is not installed. */
export class ProgramMissing extends Error {}

/**
 * Runs a program, without a shell, and ends it with all its child processes when the signal fires. Throws
 * ProgramFailure or ProgramMissing. All programs of a build start here.
 */
export async function runProgram(program: string, args: readonly string[], run: ProgramRun): Promise<string> {
  run.signal.throwIfAborted()
  const child = spawn(program, args, {
    cwd: run.directory,
    env: { ...run.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that its children end with it.
    detached: true,
  })
  const end = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // It has ended already.
    }
  }
  const stop = () => {
    end('SIGTERM')
    setTimeout(() => end('SIGKILL'), KILL_AFTER_MS).unref()
  }
  run.signal.addEventListener('abort', stop, { once: true })
  let output = ''
  let words = ''
  let objection: unknown = null
  const decoder = new StringDecoder('utf8')
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      const text = decoder.write(chunk)
      if (run.onOutput && !objection) run.onOutput(text)
      else if (output.length < MAX_OUTPUT) output += text
    } catch (error) {
      objection = error
      stop()
    }
  })
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-MAX_OUTPUT)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (objection) throw objection
    run.signal.throwIfAborted()
    if (code !== 0) throw new ProgramFailure(words.trim())
    return output
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ProgramMissing(`There is no program ${program}`)
  } finally {
    run.signal.removeEventListener('abort', stop)
  }
}
