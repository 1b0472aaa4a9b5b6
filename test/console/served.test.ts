import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateCode } from '../../scripts/setup/generated-code.mjs'
import { createGraphQLWorld, type GraphQLWorld } from '../support/graphql-world.ts'

const ROOT = join(import.meta.dirname, '../..')
const SESSION = { cookie: 'berth_session=any' }

let world: GraphQLWorld
let asset: string

beforeAll(async () => {
  await generateCode(ROOT, process.execPath)
  world = await createGraphQLWorld()
  asset = readdirSync(join(ROOT, 'console/dist/assets')).find((name) => /^index-.*\.js$/.test(name)) ?? ''
})
afterAll(() => world?.close())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, world.url), { method, headers, redirect: 'manual' })

describe('the page of the console', () => {
  test('is the same for every address, and allows nothing but its own files', async () => {
    const page = await ask('/console/envs/default-shop-production/logs?search=x', SESSION)
    expect(page.status).toBe(200)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? ''
    expect(html).toContain(`<meta name="csp-nonce" content="${nonce}">`)
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(html).not.toMatch(/<script>|<script [^>]*>[^<]|<style| style=/)
    expect((await (await ask('/console', SESSION)).text()).includes(nonce)).toBe(false)
  })

  test('asks people without a session to sign in, and to come back', async () => {
    const { status, headers } = await ask('/console/envs/x/logs?line=1')
    expect([status, headers.get('location')]).toEqual([303, '/sign-in?next=%2Fconsole%2Fenvs%2Fx%2Flogs%3Fline%3D1'])
  })

  test('is where the front page leads those who are signed in', async () => {
    const token = { token: world.adminToken }
    const origin = new URL(world.url).origin
    const signedIn = await fetch(`${origin}/sign-in/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', host: 'localhost' },
      body: JSON.stringify(token),
    })
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const page = await ask('/', { cookie, accept: 'text/html' })
    expect([page.status, page.headers.get('location')]).toEqual([303, '/console'])
    expect((await ask('/', { accept: 'text/html' })).status).toBe(200)
    expect(await (await ask('/', { cookie })).json()).toMatchObject({ '/console': expect.any(String) })
  })
})

describe('a file of the console', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('comes for good, to a browser that takes %s', async (accepted, encoding) => {
    const file = await ask(`/console/assets/${asset}`, { 'accept-encoding': accepted })
    const text = await file.text()
    expect(text).toContain('createRoot')
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    })
    expect(file.headers.get('content-encoding')).toBe(encoding)
  })

  test('is a 404, not the page, when it is gone, and none lies elsewhere', async () => {
    for (const path of ['/console/assets/gone-1.js', '/console/assets/..%2findex.html']) {
      const { status } = await ask(path, SESSION)
      expect([path, status]).toEqual([path, 404])
    }
  })
})

test('there is none where it is turned off', async () => {
  const off = await createGraphQLWorld({ settings: { BERTH_CONSOLE: 'false' } })
  try {
    const at = (path: string, headers = {}) => fetch(new URL(path, off.url), { headers, redirect: 'manual' })
    expect((await at('/console', SESSION)).status).toBe(404)
    expect(await (await at('/')).json()).not.toHaveProperty('/console')
    expect(await (await at('/sign-in')).text()).toContain('data-home="/account-security"')
  } finally {
    await off.close()
  }
})
