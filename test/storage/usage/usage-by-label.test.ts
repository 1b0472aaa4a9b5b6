import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateApp } from '../../../src/services/app/update-app.ts'
import { updateAppEnv } from '../../../src/services/app-env/update-app-env.ts'
import { readGraphQL, readRest } from '../../parity/read-apis.ts'
import { type Served, serveWorld } from '../../support/serve-world.ts'
import { createWorld, type World } from '../../support/world.ts'

const RANGE = { from: '2025-01-30T00:00:00Z', to: '2025-02-01T00:00:00Z' }

let world: World
let served: Served
let accountId: string
let envs: string[]

/** Zclouds that ran for an hour. */
async function used(appEnvId: string, zClouds: bigint): Promise<void> {
  const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const at = (hour: number) => new Date(Date.UTC(2025, 0, 30, hour))
  await world.database.usageInterval.create({
    data: {
      accountId,
      appId,
      appEnvId,
      envName: `name-${appEnvId}`,
      kind: 'COMPUTE',
      sourceId: appEnvId,
      amount: zClouds * 1000n,
      hasEnded: true,
      runAt: at(12),
      startedAt: at(12),
      until: at(13),
    },
  })
}

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  accountId = await world.account()
  const places = [
    await world.appEnv({ accountId }),
    await world.appEnv({ accountId }),
    await world.appEnv({ accountId }),
  ]
  envs = places.map(({ appEnvId }) => appEnvId)
  const [first, second] = places
  await world.perform(updateApp, { appId: first?.appId, labels: { team: 'payments', tier: 'web' } })
  await world.perform(updateApp, { appId: second?.appId, labels: { team: 'payments' } })
  // One of its own comes before that of its app.
  await world.perform(updateAppEnv, { appEnvId: second?.appEnvId, labels: { team: 'search' } })
  for (const [index, appEnvId] of envs.entries()) await used(appEnvId, BigInt(10 ** index))
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

const read = async (query: Record<string, string>) =>
  readRest(served, world.adminToken, 'getUsage', { accountId, ...RANGE, ...query })
const seconds = (zClouds: number) => String(zClouds * 3600)

test('usage can be of the environments with a label, of their own or of their app', async () => {
  const { body } = await read({ labels: 'team=payments' })
  expect(body.lines.map(({ appEnvId }: { appEnvId: string }) => appEnvId)).toEqual([envs[0]])
  expect(body.totals).toMatchObject([{ quantity: seconds(1) }])
  expect('byLabel' in body).toBe(false)
  expect((await read({ labels: 'team=search' })).body.totals).toMatchObject([{ quantity: seconds(10) }])
  const two = new URLSearchParams([
    ...Object.entries({ accountId, ...RANGE }),
    ['labels', 'team=search'],
    ['labels', 'tier=web'],
  ])
  const response = await served.app.request(`/api/public/v1/account/usage?${two}`, {
    headers: { authorization: world.adminToken },
  })
  expect((await response.json()).lines).toEqual([])
  const csv = await served.app.request(
    `/api/public/v1/account/usage?${new URLSearchParams({ accountId, ...RANGE, labels: 'team=search', format: 'csv' })}`,
    { headers: { authorization: world.adminToken } },
  )
  expect((await csv.text()).trimEnd().split('\n')).toHaveLength(2)
})

test('usage can be divided by the values of a label, which add up', async () => {
  const { body } = await read({ labelKey: 'team' })
  expect(body.byLabel).toMatchObject([
    { value: 'payments', totals: [{ kind: 'COMPUTE', quantity: seconds(1) }] },
    { value: 'search', totals: [{ quantity: seconds(10) }] },
    { value: null, totals: [{ quantity: seconds(100) }] },
  ])
  expect(body.totals).toMatchObject([{ quantity: seconds(111) }])
})

test('the same over GraphQL', async () => {
  const given = `accountId: "${accountId}", from: "${RANGE.from}", to: "${RANGE.to}"`
  const usage = await readGraphQL(
    served,
    world.adminToken,
    `usage(${given}, labels: ["team=search"], labelKey: "team") { byLabel { value totals { quantity } } }`,
  )
  expect(usage.body).toEqual({ byLabel: [{ value: 'search', totals: [{ quantity: seconds(10) }] }] })
  const lines = await readGraphQL(
    served,
    world.adminToken,
    `usageLines(${given}, labels: ["team=payments"]) { nodes { appEnvId } }`,
  )
  expect(lines.body).toEqual({ nodes: [{ appEnvId: envs[0] }] })
  const wrong = await readGraphQL(served, world.adminToken, `usage(${given}, labels: ["team"]) { total }`)
  expect(wrong.code).toBe('INVALID_INPUT')
})
