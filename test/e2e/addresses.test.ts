import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from './clients.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let berth: TestPlatform

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_EXTRA_DOMAINS: '127.0.0.1.sslip.io' })
})
afterAll(() => berth?.stop())

interface Host {
  host: string
  url: string
}

test('an app answers at every address that the API shows, with scheme and port', async () => {
  const { appEnvId } = await berth.createSample('addressed')
  const deployed = await berth.rest(
    'POST',
    '/app-env/deploy-image',
    { appEnvId, image: berth.image },
    { Prefer: 'wait=60' },
  )
  expect(deployed.status).toBe(200)
  const { url, hosts: names } = await berth.ok<{ url: string; hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
  const { hosts } = await berth.ok<{ hosts: Host[] }>('GET', `/app-env/hosts?appEnvId=${appEnvId}`)
  expect(names).toEqual(
    ['berth.localhost', '127.0.0.1.sslip.io'].map((domain) => `default-addressed-production.${domain}`),
  )
  expect([hosts.map(({ host }) => host), hosts[0]?.url]).toEqual([names, url])
  for (const { url } of hosts) {
    const { protocol, hostname, port } = new URL(url)
    // As a client does that has resolved the name: to this machine, both of them.
    const answer = await ask(`${protocol}//127.0.0.1:${port}`, hostname)
    expect([url, answer.status]).toEqual([url, 200])
  }
})
