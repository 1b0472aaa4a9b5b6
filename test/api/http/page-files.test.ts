import { gunzipSync } from 'node:zlib'
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'

const PAGES = ['/graphql', '/docs', '/sign-in', '/account-security', '/reset-password']

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld()
})
afterAll(() => world.close())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, world.url), { method, headers })

describe('a file of a page', () => {
  test('is the text of its package, zipped or not', async () => {
    const plain = await ask('/graphql/graphiql.js', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect((await plain.text()) === graphiql.js).toBe(true)
    const zipped = await ask('/graphql/graphiql.css', { 'accept-encoding': 'gzip' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect((await zipped.text()) === graphiql.css).toBe(true)
  })

  test('is announced in its size, and without its text for HEAD', async () => {
    const { headers, body } = await ask('/docs/scalar.js', { 'accept-encoding': 'gzip' }, 'HEAD')
    expect(body).toBeNull()
    expect(Number(headers.get('content-length'))).toBeGreaterThan(1_000_000)
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test('is not sent again to a browser that has it', async () => {
    for (const encoding of ['gzip', 'identity']) {
      const first = await ask('/docs/scalar.js', { 'accept-encoding': encoding })
      await first.body?.cancel()
      const etag = first.headers.get('etag') ?? ''
      const again = await ask('/docs/scalar.js', { 'accept-encoding': encoding, 'if-none-match': etag })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
  })
})

test.each(PAGES)('each script and style of %s is there, and none is inline', async (path) => {
  const page = await ask(path, { accept: 'text/html' })
  const html = await page.text()
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/script-src 'self';|^(?!.*script-src)/)
  expect(html).not.toMatch(/<script>|<script [^>]*>[^<]/)
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file ?? '')
  for (const file of files) {
    const { status, headers, body } = await ask(file)
    await body?.cancel()
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
    expect([file, status, headers.get('content-type')]).toEqual([file, 200, type])
  }
})

test('an answer is unzipped by whom it is for', async () => {
  // fetch unzips; this is what goes over the wire.
  const { port } = new URL(world.url)
  const { get } = await import('node:http')
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' }
    get({ host: '127.0.0.1', port, path: '/graphql/graphql-worker.js', headers }, (response) => {
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', resolve)
    }).on('error', reject)
  })
  expect(gunzipSync(Buffer.concat(chunks)).toString() === graphiql.graphqlWorker).toBe(true)
})
