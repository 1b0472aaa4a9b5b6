import { once } from 'node:events'
import type { LogLine, LogOptions } from '../../../src/engines/runtime/container-runtime.ts'

const MAX_LINE_BYTES = 16 * 1024
const NANOSECONDS_PER_MS = 1_000_000n

type StreamName = LogLine['stream']

/** A container's output, line by line; kept until the container is removed. */
export class ContainerOutput {
  readonly #lines: LogLine[] = []
  readonly #unfinished = new Map<StreamName, string>()
  readonly #changes = new EventTarget()
  #isOpen = false
  #latest = 0n

  /** Followers wait for further output until it is closed. */
  open(): void {
    this.#isOpen = true
  }

  write(stream: StreamName, text: string): void {
    const lines = ((this.#unfinished.get(stream) ?? '') + text).split('\n')
    this.#unfinished.set(stream, lines.pop() ?? '')
    for (const line of lines) this.#add(stream, line)
    this.#changes.dispatchEvent(new Event('change'))
  }

  close(): void {
    for (const [stream, text] of this.#unfinished) if (text !== '') this.#add(stream, text)
    this.#unfinished.clear()
    this.#isOpen = false
    this.#changes.dispatchEvent(new Event('change'))
  }

  async *read({ tail, since = 0n, follow = false }: LogOptions, signal?: AbortSignal): AsyncGenerator<LogLine> {
    const present = this.#lines.length + (follow ? 0 : this.#openLines().length)
    let at = tail === undefined ? 0 : Math.max(0, present - tail)
    for (;;) {
      signal?.throwIfAborted()
      const lines = follow ? this.#lines : [...this.#lines, ...this.#openLines()]
      for (; at < lines.length; at += 1) {
        const line = lines[at]
        if (line && line.nanoseconds >= since) yield line
        signal?.throwIfAborted()
      }
      if (!follow || (!this.#isOpen && at >= this.#lines.length)) return
      await this.#nextChange(signal)
    }
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    try {
      await once(this.#changes, 'change', signal ? { signal } : {})
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    }
  }

  #openLines(): LogLine[] {
    const open = [...this.#unfinished].filter(([, text]) => text !== '')
    return open.map(([stream, message]) => ({ ...this.#stamp(), stream, message }))
  }

  #add(stream: StreamName, text: string): void {
    const stamp = this.#stamp()
    const all = pieces(text)
    const last = all.pop() ?? ''
    for (const message of all) this.#lines.push({ ...stamp, stream, message, isPartial: true })
    this.#lines.push({ ...stamp, stream, message: last })
  }

  /** No two lines have the same timestamp, so that a reader can continue after any of them. */
  #stamp() {
    const now = BigInt(Date.now()) * NANOSECONDS_PER_MS
    this.#latest = now > this.#latest ? now : this.#latest + 1n
    return { timestamp: new Date(Number(this.#latest / NANOSECONDS_PER_MS)), nanoseconds: this.#latest }
  }
}

/** Cuts a long line between characters. */
function pieces(text: string): string[] {
  const bytes = Buffer.from(text)
  const cut: string[] = []
  let from = 0
  while (bytes.length - from > MAX_LINE_BYTES) {
    let to = from + MAX_LINE_BYTES
    while (((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1
    cut.push(bytes.toString('utf8', from, to))
    from = to
  }
  return [...cut, bytes.toString('utf8', from)]
}
