// npm run prove -- cost [--seed 1 --documents 1000 --apps 300]    what documents cost, against the time that they take
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse } from 'graphql'
import { costOf } from '../../../src/api/graphql/limits/cost.ts'
import { schema } from '../../../src/api/graphql/schema.ts'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { drawOf } from '../../hostile/draw.ts'
import { type Drawn, drawDocument } from './draw-document.ts'
import { createGrowing } from './growth.ts'
import { createReadsWorld } from './reads-world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    documents: { type: 'string', default: '1000' },
    apps: { type: 'string', default: '300' },
  },
})
const [seed, wanted, apps] = [Number(values.seed), Number(values.documents), Number(values.apps)]
console.log(`Seed ${seed}: --seed ${seed} --documents ${wanted} --apps ${apps} repeats this.`)

/** Documents of about one cost are compared: from one power of two to the next. */
const bandOf = (cost: number) => Math.max(4, Math.floor(Math.log2(cost)))
/** A band of fewer documents has no median to speak of. */
const MIN_BAND = 10
const MAX_RATIO = 10
const REPEATS = 3
/** A document that finds little of what it may ask for takes the time of a request, whatever its cost. */
const MIN_BYTES_PER_OBJECT = 3

interface Measured {
  drawn: Drawn
  cost: number
  ms: number
}

function costOfDrawn({ query, variables }: Drawn): number {
  const { definitions } = parse(query)
  const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode
  const fragments = definitions.filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
  const byName = new Map(fragments.map((one) => [one.name.value, one]))
  return costOf(schema, operation, byName, variables).cost
}

const dataDir = await mkdtemp(join(tmpdir(), 'berth-cost-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  await migrate(postgres.url)
  const database = createDatabase({ url: postgres.url, poolSize: 10 })
  const reads = await createReadsWorld({ url: postgres.url, database, drop: () => database.$disconnect() })
  const growing = await createGrowing(reads.world)
  await growing.grow(apps)
  const { accountId } = growing
  const pool = { ...reads.pool, ids: { ...reads.pool.ids, acc: [accountId] }, sizes: [10, 50, 100, 200] }
  const measured: Measured[] = []
  const left = { refused: 0, empty: 0 }
  for (let index = 0; measured.length < wanted && index < wanted * 100; index += 1) {
    const drawn = drawDocument(schema, pool, drawOf(seed, index))
    const times: number[] = []
    let bytes = 0
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const start = performance.now()
      const answer = await reads.now.ask(drawn, reads.tokens.admin ?? '')
      if (answer.includes('"errors"')) break
      times.push(performance.now() - start)
      bytes = answer.length
    }
    const cost = times.length < REPEATS ? null : costOfDrawn(drawn)
    if (cost === null) left.refused += 1
    else if (bytes < cost * MIN_BYTES_PER_OBJECT) left.empty += 1
    else measured.push({ drawn, cost, ms: Math.min(...times) })
  }
  report(measured, left)
  await growing.close()
  await reads.close()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
  // What a failure left open must not keep the process.
  setImmediate(() => process.exit())
}

function report(measured: readonly Measured[], left: { refused: number; empty: number }): void {
  console.log(
    `${measured.length} documents answered; ${left.empty} found little of what they asked for, ${left.refused} were refused. The best of ${REPEATS} counts.`,
  )
  const bands = Map.groupBy(measured, ({ cost }) => bandOf(cost))
  let beyond = 0
  for (const [band, documents] of [...bands].sort(([one], [other]) => one - other)) {
    const times = documents.map(({ ms }) => ms).sort((one, other) => one - other)
    const median = times[Math.floor(times.length / 2)] ?? 0
    const dear = documents.filter(({ ms }) => ms > MAX_RATIO * median).sort((one, other) => other.ms - one.ms)
    const counts = documents.length >= MIN_BAND
    if (counts) beyond += dear.length
    const max = times.at(-1) ?? 0
    console.log(
      `cost ${2 ** band}–${2 ** (band + 1) - 1}: ${documents.length} documents, median ${median.toFixed(1)} ms, at most ${max.toFixed(1)} ms, ${(max / median).toFixed(1)} ×${counts ? '' : ' (too few to count)'}`,
    )
    for (const { drawn, cost, ms } of dear.slice(0, 3))
      console.log(`  ${ms.toFixed(1)} ms for ${cost}: ${drawn.query.slice(0, 400)}`)
  }
  const isHeld = beyond === 0 && measured.length >= wanted
  console.log(
    isHeld
      ? `✓ None takes more than ${MAX_RATIO} times the median of its cost.`
      : `✗ ${beyond} take more than ${MAX_RATIO} times the median of their cost.`,
  )
  process.exitCode = isHeld ? 0 : 1
}
