import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { TerminalSize } from '../../../src/domain/remote-session.ts'
import type { ListeningSocket } from '../../../src/engines/runtime/container-runtime.ts'
import type { Files } from './files.ts'
import type { Limits, Process, Program } from './program.ts'

const SIGKILL_CODE = 137
const SIGTERM_CODE = 143
const LOOPBACK = '127.0.0.1'

/** The memory of a process before it allocates any. */
const OWN_MEMORY_BYTES = 8 * 1024 * 1024

export interface ProcessEnd {
  exitCode: number
  outOfMemory: boolean
}

export interface ProcessOptions extends Pick<Process, 'args' | 'environment' | 'directory' | 'limits' | 'lookUp'> {
  files: Files
  /** The port that `serve` uses; null if it may not listen. */
  port: number | null
  /** Of a command for a person. */
  terminal?: TerminalSize | null
  /** Default: empty. */
  input?: AsyncIterable<Uint8Array>
  write(text: string, stream: 'stdout' | 'stderr'): void
  /** Default: writes it as text. */
  send?(chunk: Uint8Array): Promise<void>
}

/** One run of a program, with the HTTP server that it uses. */
export class RunningProcess {
  readonly ended: Promise<ProcessEnd>
  readonly usage: Limits = { cores: 0, memoryBytes: OWN_MEMORY_BYTES }
  /** Besides the container's port. */
  readonly elsewhere: ListeningSocket[] = []
  readonly #options: ProcessOptions
  readonly #killed = new AbortController()
  readonly #end = Promise.withResolvers<ProcessEnd>()
  #terminate: (() => void) | null = null
  #size: TerminalSize | null
  #resized: ((size: TerminalSize) => void) | null = null
  #server: Server | null = null
  #frozen: PromiseWithResolvers<void> | null = null

  constructor(program: Program, options: ProcessOptions) {
    this.#options = options
    this.#size = options.terminal ?? null
    this.ended = this.#end.promise.then((end) => this.#close(end))
    // Not at once, so that the caller of the constructor has it by then.
    queueMicrotask(() => void this.#run(program))
  }

  /** Whether it serves the container's port. */
  get serves(): boolean {
    return this.#server?.listening ?? false
  }

  /** Its server accepts connections, and answers nobody until it is unfrozen. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers()
  }

  unfreeze(): void {
    this.#frozen?.resolve()
    this.#frozen = null
  }

  resize(size: TerminalSize): void {
    if (!this.#size) return
    this.#size = size
    this.#resized?.(size)
  }

  /** SIGTERM. */
  terminate(): void {
    if (this.#terminate) this.#terminate()
    else this.#exit(SIGTERM_CODE)
  }

  /** SIGKILL. */
  kill(outOfMemory = false): void {
    this.#exit(SIGKILL_CODE, outOfMemory)
  }

  async #run(program: Program): Promise<void> {
    if (this.#killed.signal.aborted) return
    try {
      const exitCode = await program(this.#process())
      if (typeof exitCode === 'number') this.#exit(exitCode)
    } catch (error) {
      if (this.#killed.signal.aborted) return
      this.#options.write(`${error instanceof Error ? error.stack : String(error)}\n`, 'stderr')
      this.#exit(1)
    }
  }

  #process(): Process {
    const { write, send, terminal: _terminal, input = nothing(), ...facts } = this.#options
    const say = (text: string, stream: 'stdout' | 'stderr' = 'stdout') => {
      if (!this.#killed.signal.aborted) write(text, stream)
    }
    return {
      ...facts,
      input,
      size: () => this.#size,
      onResize: (listener) => {
        this.#resized = listener
      },
      signal: this.#killed.signal,
      write: say,
      send: async (chunk) => {
        if (send && !this.#killed.signal.aborted) await send(chunk)
        if (!send) say(Buffer.from(chunk).toString('utf8'))
      },
      print: (text, stream) => say(`${text}\n`, stream),
      serve: (listener) => this.#serve(listener),
      listen: (socket) => this.elsewhere.push(socket),
      use: (needs) => this.#use(needs),
      onTerminate: (listener) => {
        this.#terminate = listener
      },
      exit: (code) => this.#exit(code),
    }
  }

  #serve(listener: RequestListener): void {
    const { port } = this.#options
    if (port === null || this.#killed.signal.aborted) return
    const whenAwake: RequestListener = async (request, response) => {
      while (this.#frozen) await this.#frozen.promise
      listener(request, response)
    }
    this.#server = createServer(whenAwake).listen(port, LOOPBACK)
    this.#server.once('error', () => {
      this.#server = null
      this.#exit(1)
    })
  }

  #use(needs: Partial<Limits>): void {
    const { limits } = this.#options
    Object.assign(this.usage, needs)
    this.usage.cores = Math.min(this.usage.cores, limits.cores)
    if (this.usage.memoryBytes > limits.memoryBytes) this.kill(true)
  }

  #exit(exitCode: number, outOfMemory = false): void {
    this.#end.resolve({ exitCode, outOfMemory })
    this.#killed.abort(new Error('The process has ended'))
  }

  async #close(end: ProcessEnd): Promise<ProcessEnd> {
    const server = this.#server
    if (!server) return end
    // A server that has not begun to listen cannot be closed yet, and would hold the port for good.
    const listens = server.listening || (await once(server, 'listening').catch(() => null))
    if (!listens) return end
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
    return end
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
