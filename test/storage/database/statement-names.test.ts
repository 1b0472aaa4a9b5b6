import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStatementNames } from '../../../src/storage/database/client.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let held: TestDatabase

beforeAll(async () => {
  held = await createTestDatabase({ poolSize: 1 })
})

afterAll(() => held.drop())

describe('a statement', () => {
  test('gets a name once it is repeated', () => {
    const nameOf = createStatementNames()
    const names = (sql: string) => Array.from({ length: 6 }, () => nameOf({ sql }))
    expect(names('SELECT 1')).toEqual(['', '', '', '', 'berth_0', 'berth_0'])
    expect(names('SELECT 2').at(-1)).toBe('berth_1')
  })

  test('gets no name beyond the limit', () => {
    const nameOf = createStatementNames()
    const last = (sql: string) => Array.from({ length: 5 }, () => nameOf({ sql })).at(-1)
    for (let number = 0; number < 200; number += 1) expect(last(`SELECT ${number}`)).toBe(`berth_${number}`)
    expect(last('SELECT 200')).toBe('')
  })

  test('is prepared on the connection, and returns the same result', async () => {
    const { database } = held
    const answers = []
    for (let times = 0; times < 7; times += 1)
      answers.push(await database.region.findMany({ where: { code: 'nowhere' } }))
    expect(answers).toEqual(Array.from({ length: 7 }, () => []))
    const [{ count }] = await database.$queryRaw<[{ count: bigint }]>`
      SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%"region"%'`
    expect(count).toBe(1n)
  })
})
