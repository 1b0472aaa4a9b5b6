import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'graphql-yoga'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReadConnections } from '../../../src/storage/database/reads/read-connections.ts'
import { createReadsWorld, type ReadsWorld } from './reads-world.ts'

let reads: ReadsWorld

beforeAll(async () => {
  reads = await createReadsWorld()
})
afterAll(async () => {
  await reads?.close()
  rmSync(COPIES, { recursive: true, force: true })
})

test('drawn documents are answered like by Prisma alone, byte for byte', async () => {
  const { different, counts, kinds, executed } = await reads.compare({ seed: 1, count: 300 })
  console.log(`300 documents: ${JSON.stringify(kinds)}, reads ${JSON.stringify(counts)}, ${JSON.stringify(executed)}`)
  expect(different[0]).toBeUndefined()
  // A comparison of refusals only would say little.
  expect(kinds.fine).toBeGreaterThan(60)
  expect(counts.byPrisma).toBe(0)
  expect(executed.planned).toBeGreaterThan(executed.asUsual)
})

/** Each is a mistake in the SQL of a list, as a wrong line of the compiler would make it. */
const MISTAKES = {
  'a page that begins after its cursor': (sql: string) => sql.replaceAll('<=', '<').replaceAll('>=', '>'),
  'a list in the opposite order': (sql: string) =>
    sql.replaceAll(/ (ASC|DESC)\b/g, (order) => (order === ' ASC' ? ' DESC' : ' ASC')),
  'a page that is one short': (sql: string) => sql.replaceAll(/LIMIT (\$\d+)/g, 'LIMIT $1 - 1'),
}

test.each(Object.entries(MISTAKES))('the comparison notices %s', async (what, change) => {
  const { ask } = ReadConnections.prototype
  ReadConnections.prototype.ask = function broken(asked) {
    return ask.call(this, { ...asked, name: `${asked.name} ${what}`, text: change(asked.text) })
  }
  try {
    // A bound: it ends with the first difference, and few documents have a cursor.
    const { different } = await reads.compare({ seed: 3, count: 2000, stopsEarly: true })
    expect(different.length).toBeGreaterThan(0)
  } finally {
    ReadConnections.prototype.ask = ask
  }
})

/** Beside this file, because what they import is found from here. */
const GRAPHQL = join(import.meta.dirname, '../../../src/api/graphql')
const COPIES = join(import.meta.dirname, `broken-${process.pid}`)

const WRONG_LINES = {
  'a required value that is missing': ['run-plan.ts', 'if (plan.isRequired) throw located', ''],
  'a field under its own name instead of its alias': ['collect-fields.ts', 'selection.alias?.value ?? ', ''],
  'a field that was to be skipped': ['collect-fields.ts', '? !isTrue : isTrue', '? isTrue : isTrue'],
} as const

test.each(Object.entries(WRONG_LINES))('the comparison notices %s', async (what, [file, line, instead]) => {
  const copy = join(COPIES, what.replaceAll(' ', '-'))
  cpSync(join(GRAPHQL, 'execution'), copy, { recursive: true })
  for (const name of readdirSync(copy)) {
    const source = readFileSync(join(copy, name), 'utf8')
    if (name === file) expect(source).toContain(line)
    const changed = name === file ? source.replace(line, instead) : source
    // The copy lies elsewhere.
    writeFileSync(join(copy, name), changed.replaceAll("from '../", `from '${GRAPHQL}/`))
  }
  const { plannedExecution } = (await import(join(copy, 'planned-execution.ts'))) as { plannedExecution(): Plugin }
  const broken = reads.doorOf({ execution: [plannedExecution()] })
  try {
    // A bound: it ends with the first difference, and few documents have a cursor.
    const { different } = await reads.compare({ seed: 3, count: 2000, stopsEarly: true, door: broken })
    expect(different.length).toBeGreaterThan(0)
  } finally {
    await broken.close()
  }
})
