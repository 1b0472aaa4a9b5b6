import { expect, test } from 'vitest'
import { ask, HOST, routeTo, startIngress, startReplica, talk } from './fixtures.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('requests go to the host they name, whatever its letter case and port', async () => {
  const shop = await startReplica((_request, response) => response.end('shop'))
  const blog = await startReplica((_request, response) => response.end('blog'))
  const ingress = await startIngress([
    routeTo([shop.target]),
    routeTo([blog.target], { host: 'blog.example.com', cliEnvName: 'default-blog-production' }),
  ])
  expect((await ask(ingress.port)).body).toBe('shop')
  expect((await ask(ingress.port, { host: 'BLOG.Example.com.:8080' })).body).toBe('blog')
})

test('requests are spread evenly over equally busy replicas', async () => {
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica((_request, response) => response.end('ok'))))
  const ingress = await startIngress([routeTo(replicas.map(({ target }) => target))])
  for (let count = 0; count < 30; count += 1) await ask(ingress.port)
  expect(replicas.map(({ requests }) => requests)).toEqual([10, 10, 10])
})

test('a busy replica gets less', async () => {
  const slow = await startReplica((_request, response) => void setTimeout(() => response.end('slow'), 1_000))
  const fast = await startReplica((_request, response) => response.end('fast'))
  const ingress = await startIngress([routeTo([slow.target, fast.target])])
  const first = ask(ingress.port)
  for (let count = 0; count < 20; count += 1) await ask(ingress.port)
  await first
  expect([slow.requests, fast.requests]).toEqual([1, 20])
})

test('an unknown host is answered with a 404 that says which host it was', async () => {
  const ingress = await startIngress([])
  const answer = await ask(ingress.port, { host: 'typo.berth.localhost:8080', path: '/a?secret=1' })
  expect(answer.status).toBe(404)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'x-berth-error': 'HOST_NOT_FOUND',
    'cache-control': 'no-store',
  })
  expect(JSON.parse(answer.body)).toEqual({
    type: 'urn:berth:problem:host-not-found',
    title: 'No app answers here',
    status: 404,
    detail: expect.stringContaining('"typo.berth.localhost"'),
    instance: '/a',
    code: 'HOST_NOT_FOUND',
    requestId: answer.headers['x-request-id'],
  })
})

test('a browser gets a page, and nothing that a client sent can become part of its markup', async () => {
  const ingress = await startIngress([routeTo([], { cliEnvName: '<script>alert(1)</script>' })])
  const answer = await ask(ingress.port, { headers: HTML, path: '/<b>' })
  expect(answer.status).toBe(503)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(answer.body).not.toMatch(/<script|<b>\//)
})

test.each([
  ['NEVER_DEPLOYED', { status: 'PENDING', hasDeployment: false }, undefined],
  ['STOPPED', { status: 'STOPPED' }, undefined],
  ['UPDATING', { status: 'UPDATING', hasDeployment: false }, '3'],
  ['UPDATING', { status: 'UPDATING' }, '3'],
  ['NO_READY_REPLICA', { status: 'RUNNING' }, '5'],
  ['NO_READY_REPLICA', { status: 'RUNNING', keepsEnding: true }, '30'],
] as const)('a known host without replicas is answered with 503 %s for %j', async (code, changes, retryAfter) => {
  const ingress = await startIngress([routeTo([], changes)])
  const answer = await ask(ingress.port)
  expect(answer.status).toBe(503)
  expect(answer.headers['x-berth-error']).toBe(code)
  expect(answer.headers['retry-after']).toBe(retryAfter)
  expect(JSON.parse(answer.body)).toMatchObject({ code, detail: expect.stringContaining('default-shop-production') })
  expect((await ask(ingress.port, { method: 'HEAD' })).body).toBe('')
})

test.each([
  ['NEVER_DEPLOYED', { status: 'PENDING', hasDeployment: false }, 15],
  ['STOPPED', { status: 'STOPPED' }, 15],
  ['UPDATING', { status: 'UPDATING' }, 3],
  ['NO_READY_REPLICA', { status: 'RUNNING' }, 5],
  ['NO_READY_REPLICA', { status: 'RUNNING', keepsEnding: true }, 30],
] as const)('the page for %s %j reloads itself, and says so', async (_code, changes, seconds) => {
  const ingress = await startIngress([routeTo([], changes)])
  const { body } = await ask(ingress.port, { headers: HTML })
  expect(body).toContain(`<meta http-equiv="refresh" content="${seconds}">`)
  expect(body).toContain(`this page reloads every ${seconds} s`)
})

test.each([
  ['that answers a form', { method: 'POST' }, []],
  ['for a host that does not exist', { host: 'typo.berth.localhost' }, []],
])('a page %s stays as it is', async (_title, request, targets) => {
  const ingress = await startIngress([routeTo(targets)])
  const { body } = await ask(ingress.port, { headers: HTML, ...request })
  expect(body).toMatch(/^<!doctype html>/)
  expect(body).not.toMatch(/refresh|reload/)
})

test('without any table every host is answered with 503 until there is one', async () => {
  const replica = await startReplica((_request, response) => response.end('ok'))
  const ingress = await startIngress(null)
  expect((await ask(ingress.port)).headers['x-berth-error']).toBe('TABLE_NOT_LOADED')
  ingress.route([replica.target])
  expect((await ask(ingress.port)).body).toBe('ok')
})

test('HTTP/1.0 clients are served, and the connection ends with the answer', async () => {
  const replica = await startReplica((_request, response) => {
    response.write('one ')
    response.end('two')
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const answer = await talk(ingress.port, `GET / HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(answer).not.toMatch(/transfer-encoding/i)
  expect(answer.endsWith('\r\n\r\none two')).toBe(true)
})

test('pipelined requests are answered in their order', async () => {
  const replica = await startReplica(({ url }, response) => {
    setTimeout(() => response.end(url), url === '/1' ? 100 : 0)
  })
  const ingress = await startIngress([routeTo([replica.target])])
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
  const answer = await talk(ingress.port, request('/1') + request('/2') + request('/3'))
  expect(answer.match(/(?<!HTTP)\/\d/g)).toEqual(['/1', '/2', '/3'])
})

test('counts requests by class of status, retries and its own answers', async () => {
  const replica = await startReplica((_request, response) => response.writeHead(204).end())
  const ingress = await startIngress([routeTo([replica.target])])
  await ask(ingress.port)
  await ask(ingress.port, { host: 'unknown.example' })
  const metrics = await ingress.registry.metrics()
  expect(metrics).toContain('berth_ingress_requests_total{status="2xx"} 1')
  expect(metrics).toContain('berth_ingress_requests_total{status="4xx"} 1')
  expect(metrics).toContain('berth_ingress_problems_total{code="HOST_NOT_FOUND"} 1')
  expect(metrics).toContain('berth_ingress_request_seconds_count 2')
  expect(metrics).toContain('berth_ingress_requests_active 0')
})
