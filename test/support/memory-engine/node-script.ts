import type { RequestListener } from 'node:http'
import { runInNewContext } from 'node:vm'
import type { Process, Program } from './program.ts'

type Listener = (...given: never[]) => void

/** What `process.exit` throws, so that nothing after it runs. */
const EXITED = Symbol('exited')

/**
 * `node -e <script>` for scripts of tests: timers, console, environment, exit codes, SIGTERM, `node:http` and the files of
 * its container. As in Node.js, a script ends when nothing is left to wait for. It shares this process: no endless loops.
 */
export const nodeScript: Program = async (process) => {
  const [, script = ''] = process.args
  const run = new ScriptRun(process)
  run.guarded(() => void runInNewContext(script, run.globals()))
  return run.ended
}

class ScriptRun {
  readonly ended: Promise<number>
  readonly #process: Process
  readonly #end = Promise.withResolvers<number>()
  /** Timers and servers. */
  #waitsFor = 0

  constructor(process: Process) {
    this.#process = process
    this.ended = this.#end.promise
  }

  /** An error that the script does not catch ends it, as in Node.js. */
  guarded(call: () => void): void {
    if (this.#process.signal.aborted) return
    try {
      call()
      if (this.#waitsFor === 0) this.#end.resolve(0)
    } catch (error) {
      if (error === EXITED) return
      this.#process.print(error instanceof Error ? String(error.stack) : String(error), 'stderr')
      this.#end.resolve(1)
    }
  }

  globals(): Record<string, unknown> {
    const { print } = this.#process
    const console = {
      log: (...words: unknown[]) => print(words.join(' ')),
      error: (...words: unknown[]) => print(words.join(' '), 'stderr'),
    }
    return {
      console,
      Buffer,
      btoa,
      encodeURIComponent,
      process: this.#processGlobal(),
      setTimeout: (call: Listener, ms = 0) => this.#timer(call, ms, false),
      setInterval: (call: Listener, ms = 0) => this.#timer(call, ms, true),
      require: (name: string) => this.#module(name),
    }
  }

  #processGlobal(): Record<string, unknown> {
    const { environment, print, exit, onTerminate } = this.#process
    const leave = (code = 0) => {
      exit(code)
      throw EXITED
    }
    return {
      env: { ...environment },
      pid: 1,
      exit: leave,
      stdout: { write: (text: string) => this.#process.write(text) },
      on: (event: string, call: Listener) => {
        if (event === 'SIGTERM') onTerminate(() => this.guarded(call as () => void))
        else print(`There is no event ${event}`, 'stderr')
      },
    }
  }

  #timer(call: Listener, ms: number, isRepeated: boolean): void {
    const { signal } = this.#process
    this.#waitsFor += 1
    const timer = setInterval(() => {
      if (!isRepeated) {
        clearInterval(timer)
        this.#waitsFor -= 1
      }
      this.guarded(call as () => void)
    }, ms)
    signal.addEventListener('abort', () => clearInterval(timer), { once: true })
  }

  #module(name: string): unknown {
    const { files, serve } = this.#process
    if (name === 'node:http') {
      return {
        createServer: (answer: RequestListener) => ({
          listen: () => {
            this.#waitsFor += 1
            serve((request, response) => this.guarded(() => answer(request, response)))
          },
        }),
      }
    }
    if (name === 'node:fs') {
      return {
        existsSync: (path: string) => files.read(path) !== null,
        writeFileSync: (path: string, text: string) => files.write(path, text),
      }
    }
    throw new Error(`Scripts of tests have no module ${name}`)
  }
}
