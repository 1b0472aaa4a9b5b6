import * as oauth from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFleet } from '../../support/api-process.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { freePort } from '../../support/free-ports.ts'
import { authorise, FormBrowser, registerClient } from '../../support/oauth.ts'

let held: TestDatabase
let fleet: ReturnType<typeof createFleet>

beforeAll(async () => {
  held = await createTestDatabase()
})
afterAll(async () => {
  await fleet?.stop()
  await held?.drop()
})

test('processes of Berth answer for one another, and for one that was killed', async () => {
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  fleet = createFleet({ databaseUrl: held.url, settings: { BERTH_API_URL: issuer } })
  const first = await fleet.start({ settings: { BERTH_API_URL: issuer, PORT: String(port) } })
  const client = await registerClient(issuer)
  const browser = await new FormBrowser(issuer).signIn(fleet.token)
  const second = await fleet.start()
  // As a load balancer would: the same address, another process.
  client[oauth.customFetch] = (url, options) => fetch(url.replace(issuer, second.url), options as RequestInit)
  const { tokens } = await authorise(browser, client)
  await first.end('SIGKILL')
  const renewed = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')
  const headers = { authorization: `Bearer ${renewed.access_token}` }
  const own = await fetch(`${second.url}/api/public/v1/user/token`, { headers })
  expect(await own.json()).toMatchObject({ kind: 'SCOPED', email: 'admin@localhost' })
  await oauth.tokenRevocation(client, renewed.access_token)
  await expect.poll(async () => (await fetch(`${second.url}/api/public/v1/user/token`, { headers })).status).toBe(401)
})
