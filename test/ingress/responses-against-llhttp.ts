import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { ResponseParser } from '../../src/ingress/upstreams/response-parser.ts'
import { generator, mangled, piecesOf } from './mangled-message.ts'

/** What a parser made of the bytes; null when it refused them, or they did not end. */
interface Reading {
  status: number
  headers: string[]
  body: string
}

export interface Comparison {
  total: number
  bothAccept: number
  bothRefuse: number
  onlyOurs: number
  onlyLlhttp: number
  /** Accepted by both, and read differently: one of the two could be led to believe something else. */
  differing: { bytes: string; ours: Reading; theirs: Reading }[]
}

/** Reserved for the ingress or for one connection: our parser leaves them behind. */
const LEFT_BEHIND = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'proxy-connection',
  'te',
  'x-berth-error',
  'x-request-id',
])

const VALID = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n5\r\nhello\r\n3;ext=1\r\nabc\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n',
  'HTTP/1.1 404 Not Found\r\nX-A: b\r\nConnection: close\r\n\r\nuntil the end',
  'HTTP/1.0 200 OK\r\nX-A: b\r\n\r\nuntil the end',
  'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
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
  '0',
  '1',
  '5',
  'a',
  'Content-Length: 5\r\n',
  'Content-Length: 6\r\n',
  'content-length:2\r\n',
  'Content-Length: +5\r\n',
  'Content-Length: 5, 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Connection: close\r\n',
  'Connection: x-a\r\n',
  ' folded\r\n',
  'HTTP/1.1 200 OK\r\n',
  '0\r\n\r\n',
  '0x5',
  '-1',
  '\r\n ',
  'ffffffffffffffff',
]

function readByUs(bytes: Buffer, cuts: readonly number[]): Reading | null {
  const reading: Reading = { status: 0, headers: [], body: '' }
  let hasEnded = false
  const parser = new ResponseParser('GET', {
    onInformational: () => {},
    onHead: ({ status, headers }) => Object.assign(reading, { status, headers }),
    onBody: (piece) => {
      reading.body += piece.toString('latin1')
    },
    onEnd: (piece) => {
      reading.body += piece.toString('latin1')
      hasEnded = true
    },
    onSwitch: () => {
      throw new Error('switched')
    },
  })
  try {
    for (const piece of piecesOf(bytes, cuts)) if (!hasEnded) parser.feed(Buffer.from(piece))
    if (!hasEnded) parser.end()
    return hasEnded ? reading : null
  } catch {
    return null
  }
}

/** A connection that answers any request with these bytes, and ends. */
function connectionWith(bytes: Buffer): Duplex {
  return new Duplex({
    read() {
      this.push(bytes)
      this.push(null)
    },
    write: (_chunk, _encoding, done) => done(),
  })
}

function readByLlhttp(bytes: Buffer): Promise<Reading | null> {
  return new Promise((resolve) => {
    let hasAnswered = false
    const request: ClientRequest = httpRequest({
      createConnection: () => connectionWith(bytes) as never,
      insecureHTTPParser: false,
    })
    request.on('error', () => resolve(null))
    request.on('upgrade', () => resolve(null))
    request.on('response', (response: IncomingMessage) => {
      hasAnswered = true
      let body = ''
      response.setEncoding('latin1')
      response.on('data', (piece: string) => {
        body += piece
      })
      response.on('error', () => resolve(null))
      response.on('end', () =>
        resolve(response.complete ? { status: response.statusCode ?? 0, headers: response.rawHeaders, body } : null),
      )
      response.on('close', () => resolve(null))
    })
    // An answer that ends with its connection is read to its end after this.
    request.on('close', () => hasAnswered || resolve(null))
    request.end()
  })
}

/** The headers that a proxy passes on, of either reading. */
function endToEnd(headers: readonly string[]): string {
  const pairs = headers.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), headers[index + 1] ?? ''] as const] : [],
  )
  const named = pairs
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/))
  const isKept = ([name]: readonly [string, string]) =>
    // The length is compared as the body that it leads to.
    name !== 'content-length' && !LEFT_BEHIND.has(name) && !named.includes(name)
  return JSON.stringify(pairs.filter(isKept))
}

/** Has both parsers read the same mangled answers. */
export async function compareParsers(seed: number, total: number): Promise<Comparison> {
  const draw = generator(seed)
  const found: Comparison = { total, bothAccept: 0, bothRefuse: 0, onlyOurs: 0, onlyLlhttp: 0, differing: [] }
  for (let count = 0; count < total; count += 1) {
    const text = mangled(draw, VALID, PIECES)
    const bytes = Buffer.from(text, 'latin1')
    const ours = readByUs(bytes, [draw(1_000), draw(1_000)])
    const theirs = await readByLlhttp(bytes)
    if (ours && theirs) {
      found.bothAccept += 1
      const isSame =
        ours.status === theirs.status &&
        ours.body === theirs.body &&
        endToEnd(ours.headers) === endToEnd(theirs.headers)
      if (!isSame) found.differing.push({ bytes: text, ours, theirs })
    } else if (ours) found.onlyOurs += 1
    else if (theirs) found.onlyLlhttp += 1
    else found.bothRefuse += 1
  }
  return found
}
