import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { attack } from './campaign.ts'
import { EACH_ONCE } from './fuzz.ts'

const SEED = 20261101

let held: TestDatabase

beforeAll(async () => {
  held = await createTestDatabase()
})
afterAll(() => held.drop())

test('hostile input breaks nothing, in short', { timeout: 600_000 }, async () => {
  const attacks = ["'; DROP TABLE app; --", 'a\ud800b', '\u202eabc']
  const small = { requests: EACH_ONCE, raw: 150, sockets: 100, attacks, areCrossed: false }
  console.log(`seed ${SEED}`)
  const findings = await attack({
    databaseUrl: held.url,
    seed: SEED,
    ...small,
    tell: (line) => console.log(`${Math.round(performance.now() / 1000)} s: ${line}`),
  })
  expect(findings.report()).toBe('')
})
