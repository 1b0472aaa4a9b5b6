import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { lowerPriority } from './child-priority.ts'

const KILL_AFTER_MS = 2_000
const MAX_OUTPUT = 64 * 1024

/** A file for output that is not read here. */
export interface OutputFile {
  path: string
  maxBytes: number
  /** Thrown when the output is longer, which ends the program. */
  tooLong: Error
}

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
  outputFile?: OutputFile
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
  lowerPriority(child)
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
  const object = (error: unknown) => {
    objection ??= error
    stop()
  }
  const written = run.outputFile ? writeOutput(child.stdout, run.outputFile).catch(object) : null
  const decoder = new StringDecoder('utf8')
  if (!run.outputFile) {
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        const text = decoder.write(chunk)
        if (run.onOutput && !objection) run.onOutput(text)
        else if (output.length < MAX_OUTPUT) output += text
      } catch (error) {
        object(error)
      }
    })
  }
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-MAX_OUTPUT)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    await written
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

/** Its bytes are counted, and not looked at. */
async function writeOutput(output: Readable, { path, maxBytes, tooLong }: OutputFile): Promise<void> {
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLong
      yield chunk
    }
  }
  await pipeline(output, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
}
