import { STRINGS } from './corpus.ts'
import type { Draw } from './draw.ts'
import { chip } from './spoil.ts'

export interface RawCase {
  name: string
  bytes: Buffer
  /** The sizes in which it is sent, one write after the other; what is left goes last. */
  pieces: number[]
  /** Hangs up without waiting for an answer. */
  cuts: boolean
}

interface Target {
  host: string
  token: string
}

type Maker = (draw: Draw, target: Target) => string | Buffer

const BODY = '{"name":"Raw","accountId":"acc_x","port":80}'

function head(draw: Draw, { host, token }: Target, line: string, ...more: string[]): string {
  const path = draw.chance(0.5) ? 'application/json' : 'application/json; charset=utf-8'
  const lines = [line, `Host: ${host}`, `Authorization: ${token}`, `Content-Type: ${path}`, ...more]
  return `${lines.join('\r\n')}\r\n\r\n`
}

const POST = 'POST /api/public/v1/app HTTP/1.1'
const GET = 'GET /api/public/v1/apps HTTP/1.1'
const LENGTH = `Content-Length: ${BODY.length}`
const CHUNKED = 'Transfer-Encoding: chunked'

/** Ways to be no HTTP, or to be two requests to one reader and one to another. */
const MAKERS: Record<string, Maker> = {
  requestLine: (draw, target) =>
    head(
      draw,
      target,
      draw.one([
        'GET',
        'GET /',
        'GET  / HTTP/1.1',
        'GET / HTTP/9.9',
        'GET / http/1.1',
        ' GET / HTTP/1.1',
        'GET\t/\tHTTP/1.1',
        '',
        'G\0T / HTTP/1.1',
        'GET /\0 HTTP/1.1',
        'GET /a b HTTP/1.1',
        'PRI * HTTP/2.0',
        'CONNECT a:1 HTTP/1.1',
        'get / HTTP/1.1',
        `GET /${'a'.repeat(70_000)} HTTP/1.1`,
        `${'A'.repeat(5_000)} / HTTP/1.1`,
        'GET /é HTTP/1.1',
        'GET \\ HTTP/1.1',
        'GET / HTTP/1.1 x',
        ...STRINGS.map((text) => `GET /${text} HTTP/1.1`),
      ]),
    ),
  folding: (draw, target) =>
    head(draw, target, GET, draw.one(['X-A: a\r\n b', 'X-A: a\r\n\tb', ' X-A: b', 'X-A\r\n : b'])),
  header: (draw, target) =>
    head(
      draw,
      target,
      GET,
      draw.one([
        'X A: b',
        'X-A : b',
        ': b',
        'X-A',
        'X-\0: b',
        'X-A: \0',
        'X-A: a\rb',
        'X-A: a\nX-B: b',
        'é: é',
        'X-A: \x7f\x01',
        ...STRINGS.map((text) => `X-A: ${text}`),
        ...STRINGS.map((text) => `${text}: a`),
      ]),
    ),
  headers: (draw, target) =>
    head(
      draw,
      target,
      GET,
      ...draw.one([
        [`X-A: ${'a'.repeat(draw.whole(1_000, 200_000))}`],
        Array.from({ length: draw.whole(100, 5_000) }, (_, index) => `X-${index}: a`),
        [`Cookie: ${'a=b;'.repeat(10_000)}`],
        ['Host: other', 'Host: third'],
      ]),
    ),
  noHost: (draw) => `${draw.one([GET, 'GET / HTTP/1.0', 'GET / HTTP/1.1'])}\r\n\r\n`,
  oddHost: (draw, { token }) =>
    `${GET}\r\nAuthorization: ${token}\r\nHost: ${draw.one(['', 'a b', '[', 'a:b:c', '127.0.0.1:99999', '@', 'a/../b', ...STRINGS])}\r\n\r\n`,
  lengths: (draw, target) =>
    head(
      draw,
      target,
      POST,
      ...draw.one([
        [LENGTH, 'Content-Length: 1'],
        [LENGTH, LENGTH],
        ['Content-Length: -1'],
        ['Content-Length: 1e3'],
        ['Content-Length: 0x10'],
        ['Content-Length: 99999999999999999999'],
        ['Content-Length: +5'],
        ['Content-Length: 5, 5'],
        ['Content-Length: '],
        ['Content-Length: 5 5'],
        ['Content-Length: ٣'],
        ['Content-Length : 5'],
        ['Content-Length: 5\0'],
      ]),
    ) + BODY,
  bothLengths: (draw, target) =>
    `${head(
      draw,
      target,
      POST,
      ...draw.one([
        [LENGTH, CHUNKED],
        [CHUNKED, LENGTH],
      ]),
    )}2\r\n{}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
  encodings: (draw, target) =>
    `${head(
      draw,
      target,
      POST,
      `Transfer-Encoding: ${draw.one([
        'chunked, chunked',
        'identity',
        'gzip, chunked',
        'chunked, identity',
        'xchunked',
        'Chunked',
        ' chunked',
        'chunked\t',
        '\x0bchunked',
        '"chunked"',
        '',
      ])}`,
    )}2\r\n{}\r\n0\r\n\r\n`,
  chunks: (draw, target) =>
    head(draw, target, POST, CHUNKED) +
    draw.one([
      'zz\r\n{}\r\n0\r\n\r\n',
      '-1\r\n{}\r\n0\r\n\r\n',
      'ffffffffffffffff\r\n{}',
      '2\n{}\n0\n\n',
      '2\r\n{}0\r\n\r\n',
      '2 \r\n{}\r\n0\r\n\r\n',
      '0x2\r\n{}\r\n0\r\n\r\n',
      '2;a=b\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n',
      `2;${'a'.repeat(50_000)}\r\n{}\r\n0\r\n\r\n`,
      '1\r\n{}\r\n0\r\n\r\n',
      '0\r\nContent-Length: 5\r\n\r\n',
      `${'1\r\na\r\n'.repeat(2_000)}0\r\n\r\n`,
      '00000000000000000002\r\n{}\r\n0\r\n\r\n',
      '\r\n',
      '2\r\n{}\r\n0\r\n',
    ]),
  truncated: (draw, target) => {
    const whole = head(draw, target, POST, LENGTH) + BODY
    return whole.slice(0, draw.whole(1, whole.length - 1))
  },
  surplus: (draw, target) =>
    head(draw, target, POST, LENGTH) + BODY + draw.one(['\r\n', 'x', '\0', BODY, '\r\n\r\n\r\n', ...STRINGS]),
  pipelined: (draw, target) =>
    head(draw, target, GET).repeat(draw.whole(2, 30)) + draw.one(['', 'GET', '\r\n', 'x\r\n\r\n']),
  upgrade: (draw, target) =>
    head(
      draw,
      target,
      `GET ${draw.one(['/graphql', '/', '/api/public/v1/apps'])} HTTP/1.1`,
      'Connection: Upgrade',
      ...draw.one([
        ['Upgrade: websocket'],
        ['Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'],
        ['Upgrade: h2c'],
        ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 99'],
        ['Upgrade: '],
        ['Upgrade: a, b'],
        [
          'Upgrade: websocket',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Extensions: permessage-deflate; x="',
        ],
        [
          'Upgrade: websocket',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Protocol: ,,,',
        ],
        [
          'Upgrade: websocket',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Protocol: graphql-transport-ws',
        ],
      ]),
    ) + draw.one(['', 'garbage', '\x81\x05hello', '\xff\xff\xff']),
  expect: (draw, target) =>
    head(draw, target, POST, LENGTH, `Expect: ${draw.one(['100-continue', 'x', ''])}`) + draw.one([BODY, '']),
  http2: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  tls: () => Buffer.from('16030100a50100009f0303', 'hex'),
  noise: (draw) => Buffer.from(Array.from({ length: draw.whole(1, 300) }, () => draw.whole(0, 255))),
  bareLines: (draw, target) => head(draw, target, GET).replaceAll('\r\n', draw.one(['\n', '\r', '\n\r', '\r\r\n'])),
  chipped: (draw, target) => chip(draw, head(draw, target, POST, LENGTH) + BODY),
  fine: (draw, target) =>
    head(draw, target, draw.one([GET, 'GET /readyz HTTP/1.1', 'HEAD / HTTP/1.1', 'OPTIONS * HTTP/1.1'])),
}

/** Bytes for a port that expects HTTP. */
export function rawCase(draw: Draw, target: Target): RawCase {
  const name = draw.one(Object.keys(MAKERS))
  const made = (MAKERS[name] as Maker)(draw, target)
  const bytes = typeof made === 'string' ? Buffer.from(made, draw.chance(0.5) ? 'latin1' : 'utf8') : made
  const pieces = draw.chance(0.3) ? Array.from({ length: draw.whole(1, 4) }, () => draw.whole(1, 40)) : []
  return { name, bytes, pieces, cuts: draw.chance(0.1) }
}
