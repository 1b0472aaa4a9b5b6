import { expect, test } from 'vitest'
import { HOST, routeTo, startIngress, startRawReplica, talk } from './fixtures.ts'

/** What a client gets of an answer that a container wrote byte by byte. */
async function through(answer: string) {
  const replica = await startRawReplica((socket) => socket.once('data', () => socket.end(answer, 'latin1')))
  const ingress = await startIngress([routeTo([replica.target])])
  return { text: await talk(ingress.port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`) }
}

test('a request to switch protocols that has a body is answered like any other, at once', async () => {
  const replica = await startRawReplica((socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (!text.endsWith('hi')) return
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${/upgrade/i.test(text) ? 'bad' : 'ok!'}`)
    })
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const request = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n`
  const answer = await talk(ingress.port, `${request}Content-Length: 2\r\n\r\nhi`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*ok!$/)
})

test('a length with 204 is not passed on, and a length with 304 is', async () => {
  const { text } = await through('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nX-Own: 1\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\nX-Own: 1\r\n/)
  expect(text).not.toMatch(/content-length/i)
  expect((await through('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n')).text).toContain('Content-Length: 5')
})

test.each([
  ['HTTP/1.1 200 Fine', ''],
  ['HTTP/1.1 204 Fine', ''],
  ['HTTP/1.1 304 Fine', 'Content-Length: 0\r\n'],
])('an answer that begins %s and is refused leaves nothing of itself', async (statusLine, more) => {
  const { text } = await through(`${statusLine}\r\n${more}X-Own: a\0b\r\n\r\n`)
  expect(text).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/)
  expect(text).not.toMatch(/fine|x-own/i)
  expect(text).toContain('"code":"BROKEN_ANSWER"')
})

const withCookie = (cookie: string) => `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: ${cookie}\r\n\r\n`

test.each([
  ['a=1; Domain=berth.localhost; Path=/', 'a=1; Path=/'],
  ['a=1; domain = .BERTH.localhost ;Secure', 'a=1;Secure'],
  ['a=1;Domain=localhost', 'a=1'],
  ['a=1; Domain=berth.localhost.', 'a=1'],
  [`a=1; Domain=${HOST}; Domain=berth.localhost`, 'a=1'],
  [`a=1; Domain=${HOST}`, `a=1; Domain=${HOST}`],
  ['a=Domain=berth.localhost; HttpOnly', 'a=Domain=berth.localhost; HttpOnly'],
  ['a=1; Domain=shop.example', 'a=1; Domain=shop.example'],
  ['a=1; Domain=notberth.localhost', 'a=1; Domain=notberth.localhost'],
])('the cookie %j reaches the client as %j', async (sent, expected) => {
  const { text } = await through(withCookie(sent))
  expect(/Set-Cookie: (.*)\r\n/.exec(text)?.[1]).toBe(expected)
})

test('a cookie for the shared domain that comes with a switch of protocols is limited as well', async () => {
  const cookie = 'Set-Cookie: a=1; Domain=apps.example.com\r\n'
  const replica = await startRawReplica((socket) =>
    socket.once('data', () => socket.write(`HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${cookie}\r\n`)),
  )
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_DOMAIN: 'apps.example.com' })
  const upgrade = `GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`
  expect(await talk(ingress.port, upgrade)).toContain('Set-Cookie: a=1\r\n')
})

test('a cookie for one of the further base domains is limited as well', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=1; Domain=127.0.0.1.sslip.io\r\n\r\n'
  const replica = await startRawReplica((socket) => socket.once('data', () => socket.end(answer)))
  const ingress = await startIngress([routeTo([replica.target])], { BERTH_EXTRA_DOMAINS: '127.0.0.1.sslip.io' })
  expect(await talk(ingress.port, `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`)).toContain('Set-Cookie: a=1\r\n')
})

test('only spaces and tabs around a value are removed', async () => {
  const { text } = await through('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-City: \t voil\xc3\xa0 \t\r\n\r\n')
  expect(text).toContain('X-City: voil\xc3\xa0\r\n')
})

test.each(['\x0b', '\x0c', '\x00', '\x7f', '\r'])('a value with the character %j is refused', async (character) => {
  const { text } = await through(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Own: a${character}\r\n\r\n`)
  expect(text).toMatch(/^HTTP\/1\.1 502 /)
})

test.each(['Content-Length : 0', 'Content-Length\t: 0', 'X(Own): 1', 'X Own: 1'])(
  'a name such as %j is refused',
  async (line) => {
    expect((await through(`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`)).text).toMatch(/^HTTP\/1\.1 502 /)
  },
)
