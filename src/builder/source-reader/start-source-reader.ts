import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { BuildFailure } from '../../domain/build-failure.ts'
import { lowerPriority } from '../child-priority.ts'
import { FrameParser, frameOf } from './frames.ts'
import { type AnswerOf, answerShapes, MAX_ANSWER_BYTES, outcomeShape } from './reading-shapes.ts'
import type { InputOf, ReadingName } from './readings.ts'
import type { SourceReader } from './source-reader.ts'

export interface ReaderLimits {
  /** JavaScript memory. Buffers get as much again. */
  heapMb: number
  /** Time for one reading, except for those that last as long as the source is large. */
  readingSeconds: number
  /** Processor time of all readings. It ends the process even when its worker was killed. */
  cpuSeconds: number
}

const ENTRY = fileURLToPath(new URL('./reader-process.ts', import.meta.url))
/** What Node.js itself reserves, of which it uses a tenth: 600 MB were measured. */
const RESERVED_MB = 768
/** The process prints nothing unless it fails. */
const MAX_PRINTED = 64 * 1024

/** Limits that the kernel holds. The words are constant: no text of a tenant is part of them. */
const UNDER_LIMITS = 'ulimit -c 0; ulimit -t "$1"; ulimit -d "$2"; shift 2; exec "$@"'

/** Files stay open to it: links, which sources may contain, can only be created with that permission. */
const PERMISSIONS = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*']

/**
 * Where Node.js keeps compiled code, if it does here: a reader then starts with half the processor time. As a program,
 * because the process has no environment.
 */
function compiledCode(): string[] {
  const folder = process.env.NODE_COMPILE_CACHE
  if (!folder) return []
  const enable = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(folder)})`
  return ['--import', `data:text/javascript,${encodeURIComponent(enable)}`]
}

/** What each reading reads, for messages. */
const SUBJECTS: Readonly<Record<ReadingName, string>> = {
  unpack: 'the archive',
  checkListing: 'the list of the repository’s files',
  submodules: 'the settings of submodules',
  checkLinks: 'the links of the source',
  findContext: 'the build context’s folder',
  inspect: 'the files that show what the source is',
  writeDockerfile: 'the Dockerfile, or the files that the preset needs',
  exposedVariables: 'the Dockerfile',
  declaredVariables: 'the Dockerfile',
  mountSecrets: 'the Dockerfile',
  forBuilder: 'the Dockerfile',
  nixpacksPlan: 'the plan of nixpacks',
  nixpacksDockerfile: 'the Dockerfile of nixpacks',
  namedImages: 'the Dockerfile',
  pinImages: 'the Dockerfile',
  pack: 'the build context and its .dockerignore',
}

/** They last as long as the source is large, under the deadline of the source or of the build. */
const UNTIMED: ReadonlySet<ReadingName> = new Set(['unpack', 'checkListing', 'checkLinks', 'pack'])

/**
 * Starts the process that reads one build's source, in the build directory. Disposing ends it. `entry` is the program,
 * for tests.
 */
export const startSourceReader = (directory: string, limits: ReaderLimits, entry = ENTRY): ReaderProcess =>
  new ReaderProcess(directory, limits, entry)

interface Pending {
  name: ReadingName
  resolve(outcome: unknown): void
  reject(error: unknown): void
}

class ReaderProcess implements SourceReader, AsyncDisposable {
  readonly #limits: ReaderLimits
  readonly #child: ChildProcess
  readonly #gone: Promise<void>
  #pending: Pending | null = null
  /** Why it cannot be asked any more. */
  #end: { reason: unknown } | null = null

  constructor(directory: string, limits: ReaderLimits, entry: string) {
    this.#limits = limits
    const { heapMb, cpuSeconds } = limits
    const dataKb = (2 * heapMb + RESERVED_MB) * 1024
    const node = [process.execPath, ...PERMISSIONS, ...compiledCode(), `--max-old-space-size=${heapMb}`, entry]
    this.#child = spawn('/bin/sh', ['-c', UNDER_LIMITS, 'source-reader', String(cpuSeconds), String(dataKb), ...node], {
      cwd: directory,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      // A process group of its own: a signal for the worker's group is not meant for it.
      detached: true,
    })
    lowerPriority(this.#child)
    this.#gone = this.#watch()
    this.#listen()
  }

  async read<Name extends ReadingName>(name: Name, input: InputOf<Name>, signal: AbortSignal): Promise<AnswerOf<Name>> {
    signal.throwIfAborted()
    if (this.#end) throw this.#end.reason
    if (this.#pending) throw new Error(`${name} was asked while ${this.#pending.name} is read`)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending = { name, resolve, reject }
    const abort = () => this.#stop(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    const seconds = this.#limits.readingSeconds
    const late = () => this.#stop(this.#exceeded(`more than ${seconds} s (BERTH_SOURCE_READING_SECONDS)`))
    const timer = UNTIMED.has(name) ? undefined : setTimeout(late, seconds * 1000)
    try {
      this.#channel.write(frameOf({ name, input }))
      return answerOf(name, await promise)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      this.#pending = null
    }
  }

  pack(input: InputOf<'pack'>, signal: AbortSignal): Readable {
    const answered = this.read('pack', input, signal)
    // The reader of the stream gets the error.
    answered.catch(() => {})
    const output = this.#child.stdio[4] as Socket
    // Nothing is read after it, and the engine may build for an hour.
    const end = () => this.#stop(new Error('The build context is packed: the source reader was ended'))
    async function* chunks() {
      for await (const chunk of output) yield chunk
      // The stream ends as well when the process ends early, and then must not seem whole.
      await answered
      end()
    }
    return Readable.from(chunks(), { objectMode: false })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop(new Error('The source reader was ended'))
    await this.#gone
  }

  get #channel(): Socket {
    return this.#child.stdio[3] as Socket
  }

  #listen(): void {
    const frames = new FrameParser(MAX_ANSWER_BYTES)
    this.#channel.on('data', (chunk: Buffer) => {
      try {
        for (const outcome of frames.read(chunk)) this.#pending?.resolve(outcome)
      } catch {
        this.#stop(this.#exceeded(`more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB for its answer`))
      }
    })
    // Its end is what is reported.
    for (const stream of this.#child.stdio.slice(3)) stream?.on('error', () => {})
  }

  /** Resolves when the process has ended. */
  async #watch(): Promise<void> {
    const child = this.#child
    let [printed, bytes] = ['', 0]
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        printed = (printed + chunk.toString('latin1')).slice(-MAX_PRINTED)
        if (bytes > MAX_PRINTED) this.#stop(this.#exceeded(`more than ${MAX_PRINTED / 1024} KB of output`))
      })
    }
    try {
      const printedAll = child.stderr ? once(child.stderr, 'close') : null
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      await printedAll
      this.#stop(this.#deathOf(printed, signal ?? `exit code ${code}`))
    } catch (error) {
      // It was never started, which is no fault of the source.
      this.#stop(error)
    }
  }

  #deathOf(printed: string, how: string): BuildFailure {
    const { heapMb, cpuSeconds } = this.#limits
    // Node.js ends itself by one of these signals when it gets no more memory.
    if (/heap out of memory|bad_alloc/i.test(printed) || /^SIG(ABRT|BUS|ILL|SEGV|TRAP)$/.test(how)) {
      return this.#exceeded(`more than ${heapMb} MB of memory (BERTH_SOURCE_READING_MB)`)
    }
    if (how === 'SIGXCPU' || how === 'SIGKILL') {
      return this.#exceeded(`more than ${cpuSeconds} s of processor time, or more memory than the machine has`)
    }
    return this.#exceeded(`more than its process has: it ended with ${how}`)
  }

  #exceeded(what: string): BuildFailure {
    const subject = this.#pending ? SUBJECTS[this.#pending.name] : 'the source'
    return new BuildFailure('SOURCE_LIMIT_EXCEEDED', `Reading ${subject} takes ${what}`)
  }

  /** The first reason is the one that counts. */
  #stop(reason: unknown): void {
    this.#end ??= { reason }
    this.#pending?.reject(this.#end.reason)
    try {
      // It has no state that would need time to be saved.
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}

/** Nothing in an answer is trusted: what read the source may do what the source wants. */
function answerOf<Name extends ReadingName>(name: Name, given: unknown): AnswerOf<Name> {
  const outcome = outcomeShape.safeParse(given)
  if (!outcome.success) throw unexpected(name)
  if ('failure' in outcome.data) throw new BuildFailure(outcome.data.failure, outcome.data.message)
  if ('trouble' in outcome.data) throw new Error(`Reading ${SUBJECTS[name]} failed: ${outcome.data.trouble}`)
  const answer = answerShapes[name].safeParse(outcome.data.answer)
  if (!answer.success) throw unexpected(name)
  return answer.data as AnswerOf<Name>
}

const unexpected = (name: ReadingName) =>
  new BuildFailure('SOURCE_LIMIT_EXCEEDED', `Reading ${SUBJECTS[name]} gives more than a source may hold`)
