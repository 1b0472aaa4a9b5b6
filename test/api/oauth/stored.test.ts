import * as oauth from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepOauth } from '../../../src/worker/housekeeping/delete-expired.ts'
import { ask, authorise, FormBrowser, listenTo, registerClient } from '../../support/oauth.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let api: Awaited<ReturnType<typeof listenTo>>

beforeAll(async () => {
  world = await createWorld()
  api = await listenTo(world)
})
afterAll(async () => {
  await api?.close()
  await world?.close()
})

test('what is stored has no secret in it', async () => {
  const client = await registerClient(api.url, { token_endpoint_auth_method: 'client_secret_post' })
  const browser = await new FormBrowser(api.url).signIn(world.adminToken)
  const { tokens, left } = await authorise(browser, client)
  const device = await oauth.initiateDeviceAuthorization(client, {})
  const rows = await world.database.$queryRaw<{ row: string }[]>`
    SELECT to_jsonb(t)::text AS row FROM oauth_state t
    UNION ALL SELECT to_jsonb(t)::text FROM oauth_client t UNION ALL SELECT to_jsonb(t)::text FROM token t`
  const all = rows.map(({ row }) => row).join('\n')
  const secrets = [tokens.access_token, tokens.refresh_token, left.searchParams.get('code'), device.device_code]
  for (const secret of [...secrets, device.user_code.replace('-', ''), client.clientMetadata().client_secret])
    expect(all.includes(String(secret)), String(secret)).toBe(false)
})

test('housekeeping removes what has expired, and keeps what is of use', async () => {
  const client = await registerClient(api.url)
  const browser = await new FormBrowser(api.url).signIn(world.adminToken)
  const { tokens } = await authorise(browser, client)
  await browser.go('GET', String((await ask(client)).url))
  await world.database
    .$executeRaw`UPDATE oauth_state SET expires_at = now() - interval '1 second' WHERE kind <> 'RefreshToken'`
  await sweepOauth(world)
  expect(await world.database.oauthState.count({ where: { kind: { not: 'RefreshToken' } } })).toBe(0)
  const renewed = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')
  await world.database.$executeRaw`
    UPDATE token SET expires_at = now() - interval '2 days' WHERE authorization_id IS NOT NULL`
  await sweepOauth(world)
  expect(await world.database.token.count({ where: { authorizationId: { not: null } } })).toBe(0)
  expect((await oauth.refreshTokenGrant(client, renewed.refresh_token ?? '')).access_token).toBeTruthy()
})
