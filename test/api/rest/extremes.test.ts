import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../../src/api/rest/routes.ts'
import { type Served, serveWorld } from '../../support/serve-world.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let served: Served
let place: Record<string, string>

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
  const { appEnvId, accountId, appId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  await world.database.logStream.create({ data: { appEnvId, kind: 'CONTAINERS' } })
  const operation = await world.database.operation.findFirstOrThrow({ where: { appEnvId } })
  place = { appEnvId, accountId, appId, contentId, operationId: operation.id, metric: 'cpu_usage' }
})

afterAll(async () => {
  await served?.close()
  await world?.close()
})

const TIMES = ['0001-01-01T00:00:00Z', '1677-01-01T00:00:00Z', '2262-06-01T00:00:00Z', '9999-12-31T23:59:59Z']
const CURSORS = [
  ...['0', '9223372036854775807', '9223372036854775808', '9'.repeat(19), '9'.repeat(40)].flatMap((number) => [
    number,
    `${number}.1`,
    `1.${number}`,
    `live.${number}`,
  ]),
  'evt_x',
  '%',
  '',
  '\u{1f6a2}',
]
const EXTREMES: Readonly<Record<string, readonly string[]>> = {
  from: TIMES,
  to: TIMES,
  fromDate: TIMES,
  toDate: TIMES,
  cursor: CURSORS,
  after: CURSORS,
  offset: ['1000000'],
  limit: ['1', '200'],
  size: ['1', '1000'],
  search: ['%', '_', '\\', 'a'.repeat(200)],
}

const reads = routes.flatMap((route) => ('read' in route ? [route] : []))
const asked = reads.flatMap(({ path, read }) =>
  Object.keys(read.query.shape).flatMap((field) => (EXTREMES[field] ? [{ path, read, field }] : [])),
)

test.each(asked.map((one) => [`GET ${one.path} ${one.field}`, one] as const))(
  '%s accepts any value, or says what is wrong with it',
  async (_name, { path, read, field }) => {
    const fields = Object.keys(read.query.shape)
    const known = Object.entries(place).filter(([name]) => fields.includes(name))
    const also = field === 'cursor' && fields.includes('isLive') ? [{}, { isLive: 'true' }] : [{}]
    for (const value of EXTREMES[field] ?? []) {
      for (const more of also) {
        const query = new URLSearchParams([...known, ...Object.entries(more), [field, value]])
        const url = `/api/public/v1${path}?${query}`
        const { status } = await served.app.request(url, { headers: { authorization: world.adminToken } })
        expect([status, url]).toEqual([expect.toSatisfy((code: number) => code === 200 || code === 400), url])
      }
    }
  },
)
