import { afterAll, beforeAll, expect, test } from 'vitest'
import { meteredDay } from '../../support/metered-day.ts'
import { type Served, serveWorld } from '../../support/serve-world.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let served: Served
let appEnvId: string
let appId: string

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const place = await world.appEnv()
  appEnvId = place.appEnvId
  appId = place.appId
  const prices = { zCloudHourPrice: 360_000, jobZCloudHourPrice: 0, frozenGbMonthPrice: 0 }
  const { accountId } = world
  await world.database.usagePrice.create({
    data: { accountId, day: '2025-01-01', ...prices, volumeGbMonthPrice: 0, backupGbMonthPrice: 0 },
  })
  await meteredDay(world.database, { accountId, appId, appEnvId })
})
afterAll(async () => {
  await served?.close()
  await world?.close()
})

const RANGE = 'from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z'

const ask = (query: string, headers: Record<string, string> = {}) =>
  served.app.request(`/api/public/v1/account/usage?${query}`, {
    headers: { authorization: world.adminToken, ...headers },
  })

test('usage is answered as CSV where the format or the Accept header says so, without pages', async () => {
  const rows = [
    'day,appId,appEnvId,envName,kind,unit,quantity,amount',
    `2025-01-30,${appId},${appEnvId},default-shop-production,COMPUTE,ZCLOUD_SECOND,86400,8.64`,
    `2025-01-31,${appId},${appEnvId},default-shop-production,COMPUTE,ZCLOUD_SECOND,7201,0.7201`,
    '',
  ].join('\r\n')
  const byFormat = await ask(`${RANGE}&format=csv&limit=1`)
  expect([byFormat.headers.get('content-type'), await byFormat.text()]).toEqual(['text/csv; charset=utf-8', rows])
  const byAccept = await ask(RANGE, { accept: 'text/csv' })
  expect(await byAccept.text()).toBe(rows)
  const both = await ask(`${RANGE}&format=json`, { accept: 'text/csv' })
  expect(both.headers.get('content-type')).toContain('json')
})

test('totals and pages are of the same lines', async () => {
  const first = (await (await ask(`${RANGE}&limit=1`)).json()) as Record<string, unknown>
  expect(first).toMatchObject({
    currency: 'EUR',
    total: '9.36',
    forecast: '0.00',
    totals: [{ kind: 'COMPUTE', unit: 'ZCLOUD_SECOND', quantity: '93601', amount: '9.3601' }],
    lines: [{ day: '2025-01-30', quantity: '86400', amount: '8.64' }],
  })
  const second = await (await ask(`${RANGE}&limit=1&cursor=${first.nextCursor}`)).json()
  expect(second).toMatchObject({ total: '9.36', lines: [{ day: '2025-01-31' }] })
  expect(second).not.toHaveProperty('nextCursor')
})

test('any member of the account reads its usage, and nobody else', async () => {
  const as = async (token: string) => (await ask(`accountId=${world.accountId}`, { authorization: token })).status
  expect(await as((await world.user({ roles: ['BILLING'] })).token)).toBe(200)
  expect(await as((await world.user({ accountId: await world.account() })).token)).toBe(403)
  expect(await as((await world.token({ kind: 'ENVIRONMENT', appEnvId })).token)).toBe(403)
})
