import type { BuildStepUse } from '../../../../domain/build-use.ts'
import { WholeLines } from '../../whole-lines.ts'
import { BuildReport } from './build-scripts.ts'

/** A message of `--progress=rawjson`, as far as it is read. Times are RFC 3339. */
interface Message {
  vertexes?: Vertex[]
  logs?: { vertex: string; data: string }[]
}

interface Vertex {
  digest: string
  name: string
  started?: string
  completed?: string
  cached?: boolean
  error?: string
}

/** A program that never ends its line must not fill the memory. */
const MAX_UNFINISHED_BYTES = 64 * 1024
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
const MAX_STEPS = 1_000
/** What the daemon does for itself. */
const INTERNAL = /^\[internal\]|^\[context |^exporting |^sending tarball|^merging|^preparing/

const DAEMON_LOG = /^time="[^"]*" level=/

/**
 * Reads what a build prints: messages of `--progress=rawjson`, a line each, plain words after a failure, and the report. Calls
 * `onLine` with each line that is for people: names of steps as they begin, and their output.
 */
export class BuildProgress {
  readonly #onLine: (line: string) => void
  readonly #messages = new WholeLines(MAX_MESSAGE_BYTES)
  /** Of each step that has not ended. */
  readonly #outputs = new Map<string, WholeLines>()
  readonly #begun = new Set<string>()
  readonly #steps = new Map<string, BuildStepUse>()
  /** Plain words: why it failed, with an excerpt of the Dockerfile. */
  readonly words: string[] = []
  readonly report = new BuildReport()

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  get steps(): readonly BuildStepUse[] {
    return [...this.#steps.values()]
  }

  add(chunk: Uint8Array): void {
    for (const line of this.#messages.add(chunk)) this.#read(line)
  }

  end(): void {
    const rest = this.#messages.end()
    if (rest !== null) this.#read(rest)
    for (const vertex of this.#outputs.keys()) this.#endOutput(vertex)
  }

  #read(line: string): void {
    if (this.report.read(line)) return
    const message = messageIn(line)
    if (message === null) return void this.#keepWords(line)
    for (const vertex of message.vertexes ?? []) this.#readVertex(vertex)
    for (const { vertex, data } of message.logs ?? []) this.#readOutput(vertex, Buffer.from(data, 'base64'))
  }

  #keepWords(line: string): void {
    if (DAEMON_LOG.test(line)) return
    if (line.trim() !== '' && this.words.length < MAX_STEPS) this.words.push(line)
  }

  #readVertex({ digest, name, started, completed, cached, error }: Vertex): void {
    if (INTERNAL.test(name)) return
    if (completed) this.#endOutput(digest)
    // Its error is the reason of the whole build, or that another step has ended it.
    if (started && completed && !error && this.#steps.size < MAX_STEPS) {
      const seconds = Math.max(0, (Date.parse(completed) - Date.parse(started)) / 1000)
      this.#steps.set(digest, { name, seconds, isCached: cached === true })
    }
    if (!started || this.#begun.has(digest)) return
    this.#begun.add(digest)
    this.#onLine(cached ? `${name} (cached)` : name)
  }

  #readOutput(vertex: string, bytes: Buffer): void {
    const output = this.#outputs.get(vertex) ?? new WholeLines(MAX_UNFINISHED_BYTES, { keepsEnd: true })
    this.#outputs.set(vertex, output)
    for (const line of output.add(bytes)) if (line !== '') this.#onLine(line)
  }

  #endOutput(vertex: string): void {
    const rest = this.#outputs.get(vertex)?.end()
    this.#outputs.delete(vertex)
    if (rest) this.#onLine(rest)
  }
}

function messageIn(line: string): Message | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Message
  } catch {
    return null
  }
}
