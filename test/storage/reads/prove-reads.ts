// npm run prove -- reads [--seed 1 --documents 20000 --from 0 --different 10000]
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { measureGrowth } from './measure-growth.ts'
import { createReadsWorld } from './reads-world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    documents: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    different: { type: 'string', default: '10000' },
  },
})
const [seed, count, from] = [Number(values.seed), Number(values.documents), Number(values.from)]
console.log(`Seed ${seed}: --seed ${seed} --documents ${count} --from ${from} repeats this.`)

/** What a heap differs by from one collection to the next. */
const MAX_GROWTH = 1.1

const dataDir = await mkdtemp(join(tmpdir(), 'berth-reads-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  await migrate(postgres.url)
  const database = createDatabase({ url: postgres.url, poolSize: 10 })
  const reads = await createReadsWorld({ url: postgres.url, database, drop: () => database.$disconnect() })
  const { different, kinds, counts, executed, raced } = await reads.compare({ seed, from, count })
  const share = (100 * counts.byPrisma) / (counts.byPrisma + counts.byReader)
  console.log(`${count} documents: ${kinds.fine} answered, ${kinds.partial} in part, ${kinds.refused} refused`)
  console.log(`${counts.byReader} reads by the reader, ${counts.byPrisma} by Prisma (${share.toFixed(2)} %)`)
  const unplanned = (100 * executed.asUsual) / (executed.asUsual + executed.planned)
  console.log(`${executed.planned} executed by plans, ${executed.asUsual} as usual (${unplanned.toFixed(2)} %)`)
  console.log(`${raced} whose fields fail side by side were compared field by field`)
  for (const one of different.slice(0, 5)) console.log(one)
  console.log(different.length > 0 ? `✗ ${different.length} differ` : '✓ No answer differs.')
  const grown = await measureGrowth(reads, Number(values.different))
  const { before, after } = grown.heapMb
  const isFlat = after < before * MAX_GROWTH
  console.log(`${grown.documents} more documents, no two alike: heap ${before.toFixed(0)} → ${after.toFixed(0)} MB`)
  console.log(`At most ${grown.preparedStatements} prepared statements on a connection to PostgreSQL`)
  console.log(isFlat ? '✓ Memory is flat.' : '✗ Memory grows.')
  process.exitCode = different.length > 0 || !isFlat ? 1 : 0
  await reads.close()
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
