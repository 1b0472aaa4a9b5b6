import { endOfName, HeaderNames, linesOf, MalformedMessage, trimmed } from '../header-lines.ts'

/** How the end of a body is found (RFC 9112 §6.3). */
export type Framing = { by: 'nothing' } | { by: 'length'; bytes: number } | { by: 'chunks' } | { by: 'close' }

export interface ResponseHead {
  status: number
  reason: string
  /** Name, value, name, value…: the end-to-end headers, with the length of the body but without other framing. */
  headers: string[]
  framing: Framing
  /** Whether the connection may serve another request. */
  keepsAlive: boolean
  /** The `timeout` of a Keep-Alive header. */
  keepAliveSeconds: number | null
  upgrade: string | null
  hasDate: boolean
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
const LENGTH = /^\d{1,15}$/
const lowerNames = new HeaderNames((lowerName) => lowerName)
const NO_BODY: Framing = { by: 'nothing' }
/** What the headers say about the message and the connection, gathered while they are read. */
class HeaderFacts {
  readonly headers: string[] = []
  readonly connection: string[] = []
  length: string | null = null
  transferEncoding: string | null = null
  keepAliveSeconds: number | null = null
  upgrade: string | null = null
  hasDate = false

  read(name: string, lowerName: string, value: string): void {
    switch (lowerName) {
      case 'content-length':
        if (this.length !== null && this.length !== value) throw new MalformedMessage('two different lengths')
        if (this.length === null) this.headers.push(name, value)
        this.length = value
        break
      case 'transfer-encoding':
        this.transferEncoding = this.transferEncoding === null ? value : `${this.transferEncoding}, ${value}`
        break
      case 'connection':
        this.connection.push(...value.toLowerCase().split(/[\s,]+/))
        break
      case 'keep-alive':
        this.keepAliveSeconds = Number(/timeout\s*=\s*"?(\d{1,6})/i.exec(value)?.[1] ?? Number.NaN)
        break
      case 'upgrade':
        this.upgrade = value
        break
      // Reserved for the ingress: they mark its own answers, and carry the id of the request.
      case 'x-berth-error':
      case 'x-request-id':
      case 'proxy-connection':
      case 'te':
        break
      case 'date':
        this.hasDate = true
        this.headers.push(name, value)
        break
      default:
        this.headers.push(name, value)
    }
  }
}

/**
 * Reads a response's head, given without its empty line. Hop-by-hop headers stay behind.
 * Throws MalformedMessage.
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const lines = linesOf(text)
  const statusLine = STATUS_LINE.exec(lines[0] ?? '')
  if (!statusLine) throw new MalformedMessage('no status line')
  const status = Number(statusLine[2])
  const facts = new HeaderFacts()
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] as string
    const colon = endOfName(line)
    const name = line.slice(0, colon)
    facts.read(name, lowerNames.get(name), trimmed(line.slice(colon + 1)))
  }
  const framing = framingOf(status, method, facts)
  return {
    status,
    reason: statusLine[3] ?? '',
    headers: endToEnd(facts, framing, status),
    framing,
    keepsAlive:
      statusLine[1] === '1' && framing.by !== 'close' && !facts.connection.includes('close') && !hasTwoEnds(facts),
    keepAliveSeconds: Number.isNaN(facts.keepAliveSeconds) ? null : facts.keepAliveSeconds,
    upgrade: facts.upgrade,
    hasDate: facts.hasDate,
  }
}

function framingOf(status: number, method: string, facts: HeaderFacts): Framing {
  if (facts.length !== null && !LENGTH.test(facts.length)) throw new MalformedMessage('a length that is no number')
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return NO_BODY
  if (facts.transferEncoding !== null) {
    // Any other coding is hop-by-hop, and we would have to undo it before passing the body on.
    if (facts.transferEncoding.toLowerCase() !== 'chunked') throw new MalformedMessage('an unknown transfer coding')
    return { by: 'chunks' }
  }
  return facts.length === null ? { by: 'close' } : { by: 'length', bytes: Number(facts.length) }
}

const hasTwoEnds = (facts: HeaderFacts) => facts.length !== null && facts.transferEncoding !== null

function endToEnd(facts: HeaderFacts, framing: Framing, status: number): string[] {
  const { headers, connection } = facts
  // Chunks win over a length (RFC 9112 §6.3), which then must not be passed on. An answer with 1xx or 204 has no body
  // at all, and must not say that it has a length (RFC 9110 §8.6).
  const dropsLength =
    (hasTwoEnds(facts) && framing.by === 'chunks') || (facts.length !== null && (status === 204 || status < 200))
  const named = connection.filter((name) => name !== '' && name !== 'close' && name !== 'keep-alive')
  if (!dropsLength && named.length === 0) return headers
  const dropped = new Set(
    dropsLength ? [...named, 'content-length'] : named.filter((name) => name !== 'content-length'),
  )
  return headers.filter((_, index) => !dropped.has((headers[index - (index % 2)] as string).toLowerCase()))
}
