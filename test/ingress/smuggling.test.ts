import { expect, test } from 'vitest'
import { HOST, routeTo, startIngress, startReplica, talk } from './fixtures.ts'

async function startCounted() {
  const replica = await startReplica((request, response) => {
    request.resume()
    response.end(`${request.method} ${request.url}`)
  })
  return { replica, ingress: await startIngress([routeTo([replica.target])]) }
}

const SMUGGLED = `GET /smuggled HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`

test.each([
  ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['two lengths', `Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello${SMUGGLED}`],
  ['a list of lengths', `Content-Length: 5, 5\r\n\r\nhello${SMUGGLED}`],
  ['a signed length', `Content-Length: +5\r\n\r\nhello${SMUGGLED}`],
  ['an unknown coding', `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['a coding before chunked', `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['a coding after chunked', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['a coding said twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['a space before the colon', `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
  ['a chunk size with rubbish', `Transfer-Encoding: chunked\r\n\r\n1 x\r\na\r\n0\r\n\r\n${SMUGGLED}`],
  ['a bare line feed after a chunk size', `Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n${SMUGGLED}`],
  ['a second Host', 'Host: other.example\r\n\r\n'],
  ['a folded header', 'X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n'],
  ['a null byte', 'X-A: b\0c\r\n\r\n'],
  ['a bare carriage return', 'X-A: b\rTransfer-Encoding: chunked\r\n\r\n'],
])('a request with %s is refused, and what hides behind it is not served', async (name, rest) => {
  const { ingress, replica } = await startCounted()
  const answer = await talk(ingress.port, `POST / HTTP/1.1\r\nHost: ${HOST}\r\n${rest}`)
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(answer).not.toContain('/smuggled')
  // What is wrong with a chunk shows only after the head has gone on.
  expect(replica.requests).toBeLessThanOrEqual(name.includes('chunk size') ? 1 : 0)
})

test.each([
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['a Host that is none', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['another host in its target', `GET http://other.example/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['credentials in its target', `GET http://user@${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['another scheme', `GET ftp://${HOST}/ HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`],
  ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\nHost: ${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['HTTP/3.7', `GET / HTTP/3.7\r\nHost: ${HOST}\r\n\r\n`],
])('a request with %s is a 400', async (_name, text) => {
  const { ingress, replica } = await startCounted()
  expect(await talk(ingress.port, text)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(replica.requests).toBe(0)
})

test('an absolute target that names the Host is asked for in origin form', async () => {
  const { ingress } = await startCounted()
  const ask = (target: string) =>
    talk(ingress.port, `GET ${target} HTTP/1.1\r\nHost: ${HOST}:80\r\nConnection: close\r\n\r\n`)
  expect(await ask(`http://${HOST.toUpperCase()}/a?b=c`)).toMatch(/GET \/a\?b=c$/)
  expect(await ask(`http://${HOST}?b`)).toMatch(/GET \/\?b$/)
  expect(await ask(`http://${HOST}`)).toMatch(/GET \/$/)
})

test('OPTIONS * is passed on, and CONNECT is not', async () => {
  const { ingress, replica } = await startCounted()
  expect(await talk(ingress.port, `OPTIONS * HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).toMatch(/OPTIONS \*$/)
  const refused = await talk(ingress.port, `CONNECT ${HOST}:22 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)
  expect(refused).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(refused).toContain('the method CONNECT is not passed on')
  expect(replica.requests).toBe(1)
})

test('headers that are too large are a 431, in words', async () => {
  const { ingress } = await startCounted()
  const answer = await talk(ingress.port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\nCookie: ${'x'.repeat(40_000)}\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  expect(answer).toContain('X-Berth-Error: HEADERS_TOO_LARGE')
})
