import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReadConnections } from '../../src/database/reads/read-connections.ts'
import { createReadsWorld, type ReadsWorld } from './reads-world.ts'

let reads: ReadsWorld

beforeAll(async () => {
  reads = await createReadsWorld()
})
afterAll(() => reads?.close())

test('drawn documents are answered like by Prisma alone, byte for byte', async () => {
  const { different, counts, kinds } = await reads.compare({ seed: 1, count: 300 })
  console.log(`300 documents: ${JSON.stringify(kinds)}, reads ${JSON.stringify(counts)}`)
  expect(different[0]).toBeUndefined()
  // A comparison of refusals only would say little.
  expect(kinds.fine).toBeGreaterThan(60)
  expect(counts.byPrisma).toBe(0)
})

/** Each is a mistake in the SQL of a list, as a wrong line of the compiler would make it. */
const MISTAKES = {
  'a page that begins after its cursor': (sql: string) => sql.replaceAll('>=', '>'),
  'a list in the opposite order': (sql: string) => sql.replaceAll(' ASC', ' DESC'),
  'a page that is one short': (sql: string) => sql.replaceAll(/LIMIT (\$\d+)/g, 'LIMIT $1 - 1'),
}

test.each(Object.entries(MISTAKES))('the comparison notices %s', async (what, change) => {
  const { ask } = ReadConnections.prototype
  ReadConnections.prototype.ask = function broken(asked) {
    return ask.call(this, { ...asked, name: `${asked.name} ${what}`, text: change(asked.text) })
  }
  try {
    const { different } = await reads.compare({ seed: 1, count: 300, stopsEarly: true })
    expect(different.length).toBeGreaterThan(0)
  } finally {
    ReadConnections.prototype.ask = ask
  }
})
