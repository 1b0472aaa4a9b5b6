import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readerOf } from '../../../src/storage/database/reads/reader.ts'
import type { ReadsWorld } from './reads-world.ts'

const AT_ONCE = 20
/** As many as fill every cache, so that what grows afterwards grows without a bound. */
const WARM_UP = 2_000

export interface Grown {
  documents: number
  /** MB after the first documents, which fill the caches, and after all of them. */
  heapMb: { before: number; after: number }
  /** Of the fullest of the connections that were asked. */
  preparedStatements: number
}

/** Asks different documents, each of which is a shape of its own to the reader. */
export async function measureGrowth({ now, tokens, world }: ReadsWorld, documents: number): Promise<Grown> {
  const ask = async (from: number, to: number) => {
    for (let index = from; index < to; index += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, to - index) }, (_, offset) => index + offset)
      const answers = await Promise.all(batch.map((one) => now.ask({ query: documentOf(one) }, tokens.admin ?? '')))
      const failed = answers.find((answer) => answer.includes('"errors"'))
      if (failed) throw new Error(failed)
    }
  }
  await ask(0, WARM_UP)
  const before = heapMb()
  await ask(WARM_UP, WARM_UP + documents)
  const after = heapMb()
  const reader = readerOf(world.database)
  const counts = await Promise.all(
    Array.from({ length: AT_ONCE }, () => reader?.ask('SELECT count(*)::text FROM pg_prepared_statements')),
  )
  return { documents, heapMb: { before, after }, preparedStatements: Math.max(...counts.map(Number)) }
}

/** Both kinds of reads: rows as texts, and rows as values. */
const documentOf = (index: number): string =>
  index % 2 === 0
    ? `{ apps(first: 3) { nodes { a${index}: id appEnvs { nodes { b${index}: name } } } } }`
    : `{ a${index}: apps(first: 3) { nodes { ${FIELDS.filter((_, bit) => (index >> bit) & 1).join(' ')} appEnvs { pageInfo { hasNextPage } } } } }`

const FIELDS = [
  'id',
  'name',
  'slug',
  'type',
  'dockerPreset',
  'port',
  'useImage',
  'image',
  'createdAt',
  'updatedAt',
  'gitProvider',
  'gitNamespace',
  'gitRepo',
  'contextDir',
]

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapMb(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}
