import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../../src/config/version.ts'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_DOMAIN: 'apps.example.com' } })
})

afterAll(() => world.close())

const part = (ready: boolean, reason: string | null = null) => ({ isRequired: true, check: () => ({ ready, reason }) })
const html = { Accept: 'text/html,*/*;q=0.8' }

describe('the front page', () => {
  test('says what runs, how to send the token, and where apps answer', async () => {
    const { call } = serveRest(world, { readiness: { database: part(true), hostFirewall: part(true) } })
    const { status, text, headers } = await call('GET', '//', { token: null, headers: html })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain(`Version ${VERSION}, <span class="good">running</span>`)
    expect(text).toContain('<th scope="row">Host firewall</th><td><span class="good">ready</span></td>')
    expect(text).toContain('curl -H "Authorization: $TOKEN" http://localhost/api/public/v1/apps')
    expect(text).toContain('http://&lt;account&gt;-&lt;app&gt;-&lt;env&gt;.apps.example.com:8080')
    expect(text).toContain('connect to <code>http://localhost/mcp</code>')
    expect(text).not.toContain(world.adminToken)
  })

  test('has links that work, and loads nothing', async () => {
    const { call } = serveRest(world)
    const { text, headers } = await call('GET', '//', { token: null, headers: html })
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:/,
    )
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(links.length).toBeGreaterThan(4)
    // The console is for those with a session, and leads others to the sign-in.
    for (const path of links)
      expect((await call('GET', `/${path}`, { token: null })).status, path).toBe(path === '/console' ? 303 : 200)
  })

  test('is there while a part is away, and says which', async () => {
    const { call } = serveRest(world, { readiness: { database: part(false, 'refused <b>') } })
    const { status, text } = await call('GET', '//', { token: null, headers: html })
    expect(status).toBe(200)
    expect(text).toContain('<span class="bad">not ready</span> refused &lt;b&gt;')
  })

  test('is a list of paths for other clients', async () => {
    const { body } = await serveRest(world).call('GET', '//', { token: null })
    expect(body).toMatchObject({ name: 'berth', '/docs': expect.any(String), '/graphql': expect.any(String) })
  })
})

describe('the page of an invitation', () => {
  test('says how to accept it, in a browser and by a program', async () => {
    const { status, text, headers } = await serveRest(world).call('GET', '//invitation', { token: null })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self'; /,
    )
    expect(text).toContain('http://localhost/api/public/v1/account/invitation/accept')
    expect(text).toContain('<button id="join">')
    expect(text).toContain('href="/sign-in?next=%2Finvitation"')
  })
})
