import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { HostRules } from '../../../src/network/addresses/host-rules.ts'
import { tryLogin } from '../../../src/network/registries/try-login.ts'
import { isRegistryInstalled, REGISTRY_CREDENTIAL, startRegistry } from '../../support/docker-registry.ts'

const servers: { close(): unknown; closeAllConnections(): void }[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A host on 127.0.0.2, which the rules list; 127.0.0.1 is not listed. */
async function host(answer: Answer) {
  const asked: { url: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization })
    answer(request, response)
  })
  server.listen(0, '127.0.0.2')
  servers.push(server)
  await once(server, 'listening')
  return { name: `127.0.0.2:${(server.address() as AddressInfo).port}`, asked }
}

const rules = new HostRules(['127.0.0.2', 'localhost'])
const login = { username: 'ada', password: 'correct horse' }
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const asking =
  (challenge: string): Answer =>
  (_request, response) =>
    void response.writeHead(401, { 'www-authenticate': challenge }).end('{}')

test.skipIf(!(await isRegistryInstalled()))('a real registry accepts its login, and refuses another', async () => {
  await using registry = await startRegistry()
  const listed = new HostRules(['127.0.0.1'])
  expect(await tryLogin(registry.address, REGISTRY_CREDENTIAL, listed)).toEqual({ kind: 'accepted' })
  expect(await tryLogin(registry.address, { ...REGISTRY_CREDENTIAL, password: 'wrong' }, listed)).toEqual({
    kind: 'rejected',
  })
  expect(await tryLogin(registry.address, { username: 'bob', password: 'x' }, listed)).toEqual({ kind: 'rejected' })
  await registry.stop()
  expect(await tryLogin(registry.address, REGISTRY_CREDENTIAL, listed)).toEqual({
    kind: 'unknown',
    why: 'cannot be reached: it refuses connections',
  })
})

test('a token service is asked who the login is', async () => {
  const tokens = await host(({ headers }, response) => {
    response.writeHead(headers.authorization === basic('ada:correct horse') ? 200 : 401).end('{}')
  })
  const challenge = `Bearer service="registry.test",realm="http://${tokens.name}/token?x=1"`
  const registry = await host(asking(challenge))
  expect(await tryLogin(registry.name, login, rules)).toEqual({ kind: 'accepted' })
  expect(tokens.asked[0]?.url).toBe('/token?x=1&service=registry.test&account=ada')
  expect(await tryLogin(registry.name, { ...login, password: 'other' }, rules)).toEqual({ kind: 'rejected' })
  // The registry itself never hears the password.
  expect(registry.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined])
})

test.each(['127.0.0.1:5000', '169.254.169.254', '10.1.2.3'])('%s is refused, and never asked', async (name) => {
  expect(await tryLogin(name, login, rules)).toMatchObject({ kind: 'refused', why: expect.stringContaining('private') })
})

test('what is no host is refused', async () => {
  for (const name of ['a b', 'https:', 'registry.test:99999', 'user@registry.test'])
    expect(await tryLogin(name, login, rules)).toMatchObject({ kind: 'refused' })
})

test('a token service on a private address is refused, and gets no password', async () => {
  const registry = await host(asking('Bearer realm="http://127.0.0.1:9/token",service="x"'))
  expect(await tryLogin(registry.name, login, rules)).toMatchObject({ kind: 'refused' })
})

test.each<[string, Answer, string]>([
  ['an error', (_request, response) => response.writeHead(503).end(), 'answered 503 and asked for no login'],
  ['no challenge', (_request, response) => response.writeHead(401).end(), 'answered 401 and asked for no login'],
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/' }).end(), 'answered 302'],
  ['a closed connection', (request) => request.socket.destroy(), 'cannot be reached: it does not answer'],
  ['an endless challenge', asking(`Bearer realm="${'x'.repeat(5_000)}"`), 'asks for more than a login'],
])('%s says nothing about a login', async (_name, answer, why) => {
  const { name } = await host(answer)
  expect(await tryLogin(name, login, rules)).toMatchObject({ kind: 'unknown', why: expect.stringContaining(why) })
})

test('nor does a limit, or a host that cannot be found', async () => {
  const busy = await host(({ headers }, response) => {
    if (headers.authorization) response.writeHead(429).end()
    else asking('Basic realm="x"')({} as IncomingMessage, response)
  })
  expect(await tryLogin(busy.name, login, rules)).toMatchObject({ why: 'limits how often it is asked' })
  expect(await tryLogin('nosuch.invalid', login, rules)).toMatchObject({
    why: 'cannot be reached: its name cannot be resolved',
  })
})

test('a registry that lets everybody in accepts every login', async () => {
  const { name } = await host((_request, response) => response.writeHead(200).end('{}'))
  expect(await tryLogin(name, login, rules)).toEqual({ kind: 'accepted' })
})
