import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { attack } from './campaign.ts'

const SEED = 20261101

let held: TestDatabase

beforeAll(async () => {
  held = await createTestDatabase()
})
afterAll(() => held.drop())

test('hostile input breaks nothing, in short', async () => {
  const small = { requests: 800, raw: 300, sockets: 100, attacks: ["'; DROP TABLE app; --", 'a\ud800b', '\u202eabc'] }
  console.log(`seed ${SEED}`)
  const findings = await attack({
    databaseUrl: held.url,
    seed: SEED,
    ...small,
    tell: (line) => console.log(`${Math.round(performance.now() / 1000)} s: ${line}`),
  })
  expect(findings.report()).toBe('')
})
