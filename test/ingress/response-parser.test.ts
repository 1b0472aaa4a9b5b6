import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseHead } from '../../src/ingress/upstreams/response-head.ts'
import { ResponseParser, type ResponseSink } from '../../src/ingress/upstreams/response-parser.ts'

interface Read {
  statuses: number[]
  head: ResponseHead | null
  body: string
  trailers: string[]
  isReusable: boolean
  hasEnded: boolean
}

/** Parses pieces, each in a buffer that is wiped as soon as it was read: nothing may rest on it. */
function parse(pieces: readonly Buffer[], { method = 'GET', end = false } = {}): Read {
  const read: Read = { statuses: [], head: null, body: '', trailers: [], isReusable: false, hasEnded: false }
  const sink: ResponseSink = {
    onInformational: ({ status }) => read.statuses.push(status),
    onHead(head) {
      read.head = head
      read.statuses.push(head.status)
    },
    onBody(bytes) {
      read.body += bytes.toString('latin1')
    },
    onEnd(lastBytes, trailers, isReusable) {
      read.body += lastBytes.toString('latin1')
      Object.assign(read, { trailers, isReusable, hasEnded: true })
    },
    onSwitch(head, firstBytes) {
      read.head = head
      read.body = firstBytes.toString('latin1')
    },
  }
  const parser = new ResponseParser(method, sink)
  for (const piece of pieces) {
    if (read.hasEnded) break
    const buffer = Buffer.from(piece)
    parser.feed(buffer)
    buffer.fill('#')
  }
  if (end) parser.end()
  return read
}

const parseText = (text: string, options?: { method?: string; end?: boolean }) =>
  parse([Buffer.from(text, 'latin1')], options)

/** The text cut at these positions. */
const cutAt = (text: string, positions: number[]) => {
  const bytes = Buffer.from(text, 'latin1')
  const sorted = [0, ...positions.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((at, index) => bytes.subarray(sorted[index], at))
}

const chunked = (pieces: string[]) =>
  pieces.map((piece) => `${piece.length.toString(16)};ext="a"\r\n${piece}\r\n`).join('')
const anyBody = fc.array(fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 40 }), { maxLength: 6 })
const anyCuts = fc.array(fc.nat(600), { maxLength: 12 })

test('a chunked answer reads the same wherever it is cut', () => {
  fc.assert(
    fc.property(anyBody, anyCuts, (pieces, cuts) => {
      const head = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n'
      const read = parse(cutAt(`${head}${chunked(pieces)}0\r\nX-Sum: 1\r\n\r\n`, cuts))
      expect(read).toMatchObject({
        statuses: [100, 200],
        body: pieces.join(''),
        trailers: ['X-Sum', '1'],
        isReusable: true,
        hasEnded: true,
      })
      expect(read.head?.headers).toEqual(['A', 'b'])
    }),
  )
})

test('an answer with a length reads the same wherever it is cut, and what follows it spoils the connection', () => {
  fc.assert(
    fc.property(anyBody, anyCuts, fc.boolean(), (pieces, cuts, hasSurplus) => {
      const body = pieces.join('')
      const text = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const read = parse([
        ...cutAt(text, cuts).slice(0, -1),
        Buffer.concat([...cutAt(text, cuts).slice(-1), Buffer.from(hasSurplus ? 'x' : '')]),
      ])
      expect(read).toMatchObject({ body, hasEnded: true })
      if (!hasSurplus) expect(read.isReusable).toBe(true)
    }),
  )
  expect(parseText('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab')).toMatchObject({ body: 'a', isReusable: false })
})

test.each([
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
  ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n'],
])('an answer to %s without body ends with its head: %j', (method, text) => {
  expect(parseText(text, { method })).toMatchObject({ body: '', hasEnded: true, isReusable: true })
})

test('without length the end of the connection ends the answer', () => {
  const read = parseText('HTTP/1.1 200 OK\r\n\r\nall of it', { end: true })
  expect(read).toMatchObject({ body: 'all of it', hasEnded: true, isReusable: false })
})

test.each([
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['Connection: close', 'HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n'],
  ['chunks beside a length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
])('after %s the connection is not used again', (_name, text) => {
  const read = parseText(text)
  expect(read).toMatchObject({ hasEnded: true, isReusable: false })
  if (text.includes('chunked')) expect(read.head?.headers).toEqual([])
})

test('a protocol switch hands over what follows its head', () => {
  const read = parseText('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n\r\nfirst')
  expect(read).toMatchObject({ head: { status: 101, upgrade: 'echo' }, body: 'first' })
})

test('the time the other end keeps connections is read', () => {
  const seconds = (value: string) => parseText(`HTTP/1.1 204 x\r\nKeep-Alive: ${value}\r\n\r\n`).head?.keepAliveSeconds
  expect([seconds('timeout=5, max=100'), seconds('max=3'), seconds('timeout="72"')]).toEqual([5, null, 72])
})

test.each([
  ['a size that is no number', 'zz\r\nab\r\n0\r\n\r\n'],
  ['a negative size', '-1\r\nab\r\n0\r\n\r\n'],
  ['a size that is too large', 'fffffffffffff\r\n'],
  ['an empty size', '\r\nab\r\n0\r\n\r\n'],
  ['a chunk longer than its size', '1\r\nab\r\n0\r\n\r\n'],
  ['a bare line feed', '1\na\r\n0\r\n\r\n'],
  ['a broken trailer', '0\r\nno colon\r\n\r\n'],
  ['an endless extension', `1;${'x'.repeat(20_000)}`],
])('chunks with %s are refused', (_name, body) => {
  expect(() => parseText(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)).toThrow(/./)
})

test('interim answers without end are refused', () => {
  expect(() => parseText('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17))).toThrow('interim')
})

test('a connection that ends in the middle of an answer is an error', () => {
  for (const text of ['', 'HTTP/1.1 200', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na']) {
    expect(() => parseText(text, { end: true })).toThrow('middle')
  }
})

test('no bytes make the parser do anything but read or refuse', () => {
  const alphabet = fc.constantFrom(
    'HTTP/1.1 ',
    '200',
    ' OK',
    '\r\n',
    '\r\n\r\n',
    '\n',
    ': ',
    'Content-Length',
    'Transfer-Encoding',
    'chunked',
    '5',
    '0',
    'abc',
    ';',
    '\0',
  )
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 30 }), anyCuts, (words, cuts) => {
      try {
        parse(cutAt(words.join(''), cuts))
      } catch (error) {
        expect((error as Error).name).toBe('MalformedMessage')
      }
    }),
    { numRuns: 500 },
  )
})
