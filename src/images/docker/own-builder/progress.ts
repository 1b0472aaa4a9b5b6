import type { BuildStepUse } from '../../../domain/build-use.ts'
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
const MAX_UNFINISHED = 64 * 1024
const MAX_MESSAGE = 4 * 1024 * 1024
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
  #unread = ''
  #isTooLong = false
  readonly #unfinished = new Map<string, string>()
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
    const lines = (this.#unread + Buffer.from(chunk).toString('latin1')).split('\n')
    this.#unread = lines.pop() ?? ''
    if (this.#unread.length > MAX_MESSAGE) {
      this.#unread = ''
      this.#isTooLong = true
    }
    for (const line of lines) {
      if (!this.#isTooLong) this.#read(Buffer.from(line, 'latin1').toString())
      this.#isTooLong = false
    }
  }

  end(): void {
    if (this.#unread !== '') this.#read(Buffer.from(this.#unread, 'latin1').toString())
    for (const vertex of this.#unfinished.keys()) this.#endLine(vertex)
  }

  #read(line: string): void {
    if (this.report.read(line)) return
    const message = messageIn(line)
    if (message === null) return void this.#keepWords(line)
    for (const vertex of message.vertexes ?? []) this.#readVertex(vertex)
    for (const { vertex, data } of message.logs ?? []) this.#readOutput(vertex, Buffer.from(data, 'base64').toString())
  }

  #keepWords(line: string): void {
    if (DAEMON_LOG.test(line)) return
    if (line.trim() !== '' && this.words.length < MAX_STEPS) this.words.push(line)
  }

  #readVertex({ digest, name, started, completed, cached, error }: Vertex): void {
    if (INTERNAL.test(name)) return
    if (completed) this.#endLine(digest)
    // Its error is the reason of the whole build, or that another step has ended it.
    if (started && completed && !error && this.#steps.size < MAX_STEPS) {
      const seconds = Math.max(0, (Date.parse(completed) - Date.parse(started)) / 1000)
      this.#steps.set(digest, { name, seconds, isCached: cached === true })
    }
    if (!started || this.#begun.has(digest)) return
    this.#begun.add(digest)
    this.#onLine(cached ? `${name} (cached)` : name)
  }

  #readOutput(vertex: string, text: string): void {
    const lines = ((this.#unfinished.get(vertex) ?? '') + text).split('\n')
    let rest = lines.pop() ?? ''
    if (rest.length > 2 * MAX_UNFINISHED) rest = rest.slice(-MAX_UNFINISHED)
    this.#unfinished.set(vertex, rest)
    for (const line of lines) if (line !== '') this.#onLine(line)
  }

  #endLine(vertex: string): void {
    const rest = this.#unfinished.get(vertex)
    this.#unfinished.delete(vertex)
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
