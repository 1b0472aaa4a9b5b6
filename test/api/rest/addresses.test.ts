import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_INGRESS_URL: 'https://apps.example.com:8443' } })
  call = serveRest(world).call
})

afterAll(() => world.close())

describe('the address of an environment', () => {
  const url = 'https://default-shop-production.berth.localhost:8443'

  test('is complete in the list, the record, the status and the hosts', async () => {
    const appId = await world.app({ name: 'Shop' })
    const { appEnvId } = await world.appEnv({ appId, name: 'production' })
    await call('POST', '/app-env/host', { body: { appEnvId, host: 'shop.example.com' } })
    const read = async (path: string) => (await call('GET', path, { query: { appEnvId } })).body
    expect([(await read('/app-env')).url, (await read('/app-env/status')).url]).toEqual([url, url])
    const list = await call('GET', '/app-envs', { query: { appId } })
    expect(list.body.appEnvs).toMatchObject([{ url }])
    // The custom host is not valid yet, and has its address already.
    expect((await read('/app-env/hosts')).hosts).toMatchObject([{ url }, { url: 'https://shop.example.com:8443' }])
    const changed = await call('PUT', '/app-env', { body: { appEnvId, name: 'live' } })
    expect(changed.body.url).toBe(url)
  })

  test('is null where nothing listens', async () => {
    const jobConfig = { command: 'true' }
    const body = {
      accountId: world.accountId,
      name: 'Nightly',
      appType: 'job',
      useImage: true,
      image: 'busybox',
      jobConfig,
    }
    const { appId } = (await call('POST', '/app', { body })).body
    const { appEnvId } = await world.appEnv({ appId, name: 'production' })
    expect((await call('GET', '/app-env', { query: { appEnvId } })).body).toMatchObject({ hosts: [], url: null })
  })
})
