import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { HostRules } from '../../../src/network/addresses/host-rules.ts'
import { checkRegistry } from '../../../src/network/registries/registry-check.ts'

const servers: { close(): unknown; closeAllConnections(): void }[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

/** A registry on 127.0.0.2, which the rules list; 127.0.0.1 is not listed. */
async function registry(answer: (response: ServerResponse) => void) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(response)
  })
  server.listen(0, '127.0.0.2')
  servers.push(server)
  await once(server, 'listening')
  return { name: `127.0.0.2:${(server.address() as AddressInfo).port}`, asked }
}

const rules = new HostRules(['127.0.0.2', 'registry.internal:5000'])
const check = (name: string) => checkRegistry(name, rules, AbortSignal.timeout(60_000))

test.each([
  '127.0.0.1:5000',
  'localhost:5000',
  '127.1:80',
  '2130706433:80',
  '169.254.169.254',
  '10.1.2.3',
  '168.63.129.16',
  '0.0.0.0:5000',
])('%s is refused, and never asked', async (name) => {
  expect(await check(name)).toMatchObject({ kind: 'refused', why: expect.stringContaining('private address') })
})

test('a listed one is asked, and Docker Hub is not: an engine may have a mirror for it', async () => {
  const listed = await registry((response) => response.writeHead(200).end('{}'))
  expect(await check(listed.name)).toEqual({ kind: 'allowed' })
  expect(listed.asked).toEqual(['/v2/'])
  expect(await check('docker.io')).toEqual({ kind: 'allowed' })
})

test('one that is listed and does not answer is left to the engine; another one is unreachable', async () => {
  expect(await check('registry.internal:5000')).toEqual({ kind: 'allowed' })
  expect(await check('127.0.0.2:1')).toEqual({ kind: 'allowed' })
  expect(await check('nosuch.invalid')).toEqual({ kind: 'unreachable', silence: 'unresolved' })
})

test.each([
  ['Bearer realm="http://169.254.169.254/latest/meta-data",service="x"', 'refused'],
  ['Bearer service="x",realm="http://127.0.0.1:9/token"', 'refused'],
  ['Basic realm="Registry", Bearer realm="http://localhost:9/token"', 'refused'],
  ['bearer realm=http://[::1]:9/token', 'refused'],
  ['Bearer realm="file:///etc/passwd"', 'refused'],
  ['Bearer realm="https://nosuch.invalid/token"', 'unreachable'],
  ['Bearer realm="http://127.0.0.2:9/token"', 'allowed'],
  ['Basic realm="http://127.0.0.1/ is a text"', 'allowed'],
  [`Bearer ${'x'.repeat(5_000)},realm="http://localhost:9/token"`, 'refused'],
])('a registry that asks for %s is %s', async (challenge, kind) => {
  const asking = await registry((response) => response.writeHead(401, { 'www-authenticate': challenge }).end())
  expect(await check(asking.name)).toMatchObject({ kind })
})

test('a redirect to a private address is refused', async () => {
  const redirecting = await registry((response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end())
  expect(await check(redirecting.name)).toMatchObject({ kind: 'refused' })
})

test.each([
  ['17', 17],
  [new Date(Date.now() + 60_000).toUTCString(), expect.any(Number)],
  ['soon', null],
])('a busy one says when to come back: %s', async (retryAfter, retryAfterSeconds) => {
  const busy = await registry((response) => response.writeHead(429, { 'retry-after': retryAfter }).end())
  expect(await check(busy.name)).toEqual({ kind: 'busy', retryAfterSeconds })
})
