import { METHODS } from 'node:http'
import { endOfName, HeaderNames, linesOf, MalformedMessage, trimmed } from '../header-lines.ts'
import type { BodyFraming } from './client-body.ts'

const REQUEST_LINE = /^([A-Z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/
/** Others would be passed on to an app that may take them for something else. CONNECT is for proxies that clients choose. */
const KNOWN_METHODS = new Set(METHODS.filter((method) => method !== 'CONNECT'))

/** The headers whose values the ingress reads. */
const READ = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'accept',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
] as const
type ReadName = (typeof READ)[number]

/**
 * Hop-by-hop headers, headers that the ingress sets itself, and headers that must not be believed from outside: those by
 * which other proxies name the client or the path, and `Proxy`, which CGI makes the variable HTTP_PROXY (httpoxy).
 */
const NOT_FORWARDED = new Set(
  `connection keep-alive proxy-connection proxy-authorization te transfer-encoding upgrade http2-settings
   content-length host expect forwarded proxy x-request-id
   x-real-ip x-client-ip x-cluster-client-ip true-client-ip x-original-url x-rewrite-url`.split(/\s+/),
)

interface RequestHeader {
  lowerName: string
  isWithheld: boolean
  read: ReadName | null
}

/** Whether a header, or a trailer, of a client goes no further. */
export function isWithheld(lowerName: string): boolean {
  // CGI-like servers read `X_Forwarded_For` and `X-Forwarded-For` as the same name.
  const name = lowerName.includes('_') ? lowerName.replaceAll('_', '-') : lowerName
  return NOT_FORWARDED.has(name) || name.startsWith('x-forwarded-')
}

const names = new HeaderNames<RequestHeader>((lowerName) => ({
  lowerName,
  isWithheld: isWithheld(lowerName),
  read: READ.find((name) => name === lowerName) ?? null,
}))

/** More lines than apps take: Node.js and others leave those beyond their limit out, or refuse the whole. */
const MAX_HEADERS = 256

export class HeadTooLarge extends MalformedMessage {
  constructor() {
    super('a head that is too large')
  }
}

/** A request's head as the client sent it. */
export class RequestHead {
  readonly method: string
  readonly target: string
  /** False for HTTP/1.0. */
  readonly isHttp11: boolean
  /** The end-to-end headers as lines, in their order. */
  readonly lines: string
  private readonly values: Readonly<Partial<Record<ReadName, string>>>

  /** Takes the head without its empty line. Throws MalformedMessage. */
  constructor(text: string) {
    const [requestLine = '', ...headerLines] = linesOf(text)
    const [isRequestLine, method = '', target = '', minor] = REQUEST_LINE.exec(requestLine) ?? []
    if (isRequestLine === undefined) throw new MalformedMessage('no request line')
    if (!KNOWN_METHODS.has(method)) throw new MalformedMessage(`the method ${method} is not passed on`)
    if (headerLines.length > MAX_HEADERS) throw new HeadTooLarge()
    this.method = method
    this.target = target
    this.isHttp11 = minor === '1'
    const values: Partial<Record<ReadName, string>> = {}
    let lines = ''
    for (const line of headerLines) {
      const colon = endOfName(line)
      const { isWithheld, read } = names.get(line.slice(0, colon))
      if (read !== null) {
        const value = trimmed(line.slice(colon + 1))
        const before = values[read]
        values[read] = before === undefined ? value : `${before}, ${value}`
      }
      if (!isWithheld) lines += `${line}\r\n`
    }
    this.values = values
    this.lines = withoutNamed(lines, values.connection)
  }

  /** All values of a header, joined by commas. */
  get(name: ReadName): string | undefined {
    return this.values[name]
  }

  /** Whether the client wants to send another request on the connection. */
  get keepsAlive(): boolean {
    const connection = this.values.connection
    if (connection === undefined) return this.isHttp11
    const options = tokensOf(connection)
    return this.isHttp11 ? !options.includes('close') : options.includes('keep-alive')
  }

  /**
   * Whether this is a request to switch protocols that can be granted. HTTP/2 on a plain connection would carry requests past
   * every check made here, so that one is ignored.
   */
  get asksToSwitch(): boolean {
    const { upgrade, connection = '' } = this.values
    if (upgrade === undefined || this.method !== 'GET' || !this.isHttp11) return false
    return tokensOf(connection).includes('upgrade') && !/\bh2c?\b/i.test(upgrade)
  }
}

/** Where the body ends; null when there is none. Throws MalformedMessage where this could be read in two ways (RFC 9112 §6.1, §6.3). */
export function framingOf(head: RequestHead): BodyFraming | null {
  const length = head.get('content-length')
  const coding = head.get('transfer-encoding')
  if (coding !== undefined) {
    if (length !== undefined) throw new MalformedMessage('it has both a Content-Length and a Transfer-Encoding')
    if (!head.isHttp11 || coding.toLowerCase() !== 'chunked')
      throw new MalformedMessage('the only Transfer-Encoding accepted is chunked')
    return { by: 'chunks' }
  }
  if (length === undefined) return null
  if (!/^\d{1,15}$/.test(length)) throw new MalformedMessage('its Content-Length is not a number')
  return Number(length) === 0 ? null : { by: 'length', bytes: Number(length) }
}

const tokensOf = (list: string) => list.toLowerCase().split(/[\s,]+/)

/** Connection may name further headers that are for this connection alone. */
function withoutNamed(lines: string, connection: string | undefined): string {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return lines
  const named = new Set(tokensOf(connection))
  const isKept = (line: string) => line !== '' && !named.has(line.slice(0, line.indexOf(':')).toLowerCase())
  return lines
    .split('\r\n')
    .filter(isKept)
    .map((line) => `${line}\r\n`)
    .join('')
}
