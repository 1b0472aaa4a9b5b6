import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../src/api/rest/routes.ts'
import { readRest } from './read-apis.ts'
import { CASES, type FurnishedWorld, furnishedWorld } from './read-cases.ts'

let furnished: FurnishedWorld

beforeAll(async () => {
  furnished = await furnishedWorld()
})
afterAll(() => furnished.close())

/** ISO 8601 allows offsets of up to 24 hours, PostgreSQL of up to 16. */
const TIMES = [
  '2026-01-01T00:00:00+23:59',
  '2026-01-01T00:00:00-23:59',
  '9999-12-31T23:59:59+23:59',
  '0001-01-02T00:00:00Z',
]
const BOUNDS = ['from', 'to', 'fromDate', 'toDate']

const bounded = routes.flatMap((route) => {
  if (!('read' in route) || !(route.read.name in CASES)) return []
  const bounds = BOUNDS.filter((name) => name in route.read.query.shape)
  return bounds.length > 0 ? [[route.read.name, bounds] as const] : []
})

test('reads have bounds of time', () => {
  expect(bounded.length).toBeGreaterThan(10)
})

test.each(bounded)('%s takes a bound in any zone', async (name, bounds) => {
  const { served, place, world } = furnished
  const query = CASES[name]?.query?.(place) ?? {}
  for (const bound of bounds) {
    for (const time of TIMES) {
      const { code } = await readRest(served, world.adminToken, name, { ...query, [bound]: time })
      // Some refuse a range that is too long, or ends before it begins.
      expect([null, 'INVALID_INPUT'], `${bound}=${time}`).toContain(code)
    }
  }
})
