import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TrustedProxies } from '../../src/domain/trusted-proxies.ts'
import type { BodyReader } from '../../src/ingress/http1/client-body.ts'
import { ClientConnection, type ClientRequest } from '../../src/ingress/http1/client-connection.ts'
import { readRequest } from '../../src/ingress/http1/inbound-request.ts'
import { Problem } from '../../src/ingress/http1/problems.ts'
import { FakeClient, talk } from './fake-client.ts'
import { generator, mangled, piecesOf } from './mangled-message.ts'

/** What a parser made of one request. */
interface Reading {
  method: string
  target: string
  headers: string
  body: string
}

export interface RequestComparison {
  total: number
  /** Requests that both read to their ends. */
  bothAccept: number
  onlyOurs: number
  onlyLlhttp: number
  /** Connections of which both read the same requests, and no more. */
  sameEnd: number
  /** Accepted by both, and read differently: one of the two could be led to believe something else. */
  differing: { bytes: string; ours: Reading; theirs: Reading }[]
  /** Accepted by ours alone. */
  lax: string[]
}

const VALID = [
  'GET /a?b=c HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\r\n',
  'POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello',
  'POST /chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n5\r\nhello\r\n3;ext=1\r\nabc\r\n0\r\n\r\n',
  'PUT /trailers HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n',
  'GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nokPOST /second HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
]
const PIECES = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  '\t',
  '\0',
  '\x0b',
  '\x0c',
  '\x7f',
  '\x80',
  '\xa0',
  '\xff',
  ':',
  ';',
  ',',
  '"',
  '#',
  '0',
  '1',
  '5',
  'a',
  'Content-Length: 5\r\n',
  'Content-Length: 6\r\n',
  'content-length:2\r\n',
  'Content-Length: +5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length : 5\r\n',
  'Content-Length: 0x5\r\n',
  'Content_Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding:\x0bchunked\r\n',
  'transfer-encoding: CHUNKED\r\n',
  'Connection: close\r\n',
  'Connection: x-a\r\n',
  ' folded\r\n',
  'GET / HTTP/1.1\r\n',
  '0\r\n\r\n',
  '0x5',
  '-1',
  '\r\n ',
  'ffffffffffffffff',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/1.1 ',
  'get',
  'CONNECT',
]

const NO_PROXIES = new TrustedProxies([])

async function readByUs(pieces: readonly Buffer[]): Promise<Reading[]> {
  const readings: Reading[] = []
  const client = new FakeClient()
  new ClientConnection(client as unknown as Socket, 60_000, {
    onClose: () => {},
    onRequest: (request: ClientRequest) => {
      const { head, body, answer, connection } = request
      if (readRequest(request, 'req_1', NO_PROXIES) instanceof Problem) return void connection.destroy()
      const reading = { method: head.method, target: head.target, headers: head.lines, body: '' }
      const answered = () => {
        readings.push(reading)
        answer.begin({ status: 200, reason: 'OK', headers: ['Content-Length', '0'], length: 'given', hasDate: true })
        answer.end('')
      }
      const reader: BodyReader = {
        onBody: (bytes) => {
          reading.body += bytes.toString('latin1')
        },
        onBodyEnd: answered,
      }
      connection.own({ onDrain: () => {}, onGone: () => {}, onMalformedBody: () => connection.destroy() })
      if (body) body.readBy(reader)
      else answered()
    },
  })
  await talk(pieces, client)
  return readings
}

async function readByLlhttp(pieces: readonly Buffer[]): Promise<Reading[]> {
  const readings: Reading[] = []
  const server = createServer({ insecureHTTPParser: false, requireHostHeader: false }, (request, response) => {
    const { method = '', url = '' } = request
    const reading = { method, target: url, headers: '', body: '' }
    request.setEncoding('latin1')
    request.on('data', (text: string) => {
      reading.body += text
    })
    request.on('error', () => {})
    request.on('end', () => {
      if (!request.complete) return
      reading.headers = linesOf(request)
      readings.push(reading)
      response.end()
    })
  })
  const client = new FakeClient()
  // What was read before is still to be handed out.
  server.on('clientError', () => {
    client.hasBroken = true
  })
  server.emit('connection', client)
  await talk(pieces, client)
  return readings
}

/** The headers as a proxy passes them on. */
function linesOf({ rawHeaders }: IncomingMessage): string {
  let text = ''
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return text
}

/** Names and values of what both pass on; ours has left behind what is for one connection alone. */
function comparable(lines: string, kept: ReadonlySet<string>): string {
  const pairs = lines
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1)] as const)
    .filter(([name]) => kept.has(name))
  return JSON.stringify(pairs.map(([name, value]) => [name, value.replace(/^[ \t]+|[ \t]+$/g, '')]))
}

const namesIn = (lines: string) =>
  new Set(lines.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase()))

const isSame = (ours: Reading, theirs: Reading) => {
  const kept = namesIn(ours.headers)
  return (
    ours.method === theirs.method &&
    ours.target === theirs.target &&
    ours.body === theirs.body &&
    comparable(ours.headers, kept) === comparable(theirs.headers, kept)
  )
}

/** Has both parsers read the same mangled connections. */
export async function compareRequestParsers(seed: number, total: number): Promise<RequestComparison> {
  const draw = generator(seed)
  const found: RequestComparison = {
    total,
    bothAccept: 0,
    onlyOurs: 0,
    onlyLlhttp: 0,
    sameEnd: 0,
    differing: [],
    lax: [],
  }
  for (let count = 0; count < total; count += 1) {
    const text = mangled(draw, VALID, PIECES)
    const pieces = piecesOf(Buffer.from(text, 'latin1'), [draw(1_000), draw(1_000)])
    const [ours, theirs] = await Promise.all([readByUs(pieces), readByLlhttp(pieces)])
    const both = Math.min(ours.length, theirs.length)
    for (let index = 0; index < both; index += 1) {
      const [own, other] = [ours[index] as Reading, theirs[index] as Reading]
      found.bothAccept += 1
      if (!isSame(own, other)) found.differing.push({ bytes: text, ours: own, theirs: other })
    }
    found.onlyOurs += ours.length - both
    found.onlyLlhttp += theirs.length - both
    if (ours.length > both) found.lax.push(text)
    if (ours.length === theirs.length) found.sameEnd += 1
  }
  return found
}
