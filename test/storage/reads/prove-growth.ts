// npm run prove -- growth [--sizes 100,10000,100000]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase } from '../../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../../src/storage/database/embedded.ts'
import { migrate } from '../../../src/storage/database/migrate.ts'
import { createWorld } from '../../support/world.ts'
import { type Cost, createGrowing } from './growth.ts'

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '100,10000,100000' } } })
const sizes = values.sizes.split(',').map(Number)

/** Pages that deeper indexes and larger pages of rows may add between the last two sizes. */
const MORE_BUFFERS = 30

const dataDir = await mkdtemp(join(tmpdir(), 'berth-growth-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  await migrate(postgres.url)
  const database = createDatabase({ url: postgres.url, poolSize: 10 })
  const settings = { BERTH_RATE_LIMIT: '100000' }
  const held = { url: postgres.url, database, drop: () => database.$disconnect() }
  const world = await createWorld({ held, settings })
  const growing = await createGrowing(world)
  const bySize: Cost[][] = []
  for (const size of sizes) {
    await growing.grow(size)
    // Once without counting, so that pages are in memory at each size.
    await growing.measure()
    bySize.push(await growing.measure())
  }
  report(bySize)
  await growing.close()
  await world.close()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
  // What a failure left open must not keep the process.
  setImmediate(() => process.exit())
}

function report(bySize: Cost[][]): void {
  console.log(`${'read'.padEnd(40)} ${sizes.map((size) => `${size} apps: ms, pages`.padStart(26)).join('')}`)
  let failed = 0
  for (const [index, { read }] of (bySize[0] ?? []).entries()) {
    const costs = bySize.map((all) => all[index] as Cost)
    const cells = costs.map(({ ms, buffers }) => `${ms.toFixed(2)} ${String(buffers).padStart(7)}`.padStart(26))
    const [before, last] = [costs.at(-2)?.buffers ?? 0, costs.at(-1)?.buffers ?? 0]
    const problems = [...new Set(costs.flatMap(({ violations }) => violations))]
    if (costs.length > 1 && last > 2 * before + MORE_BUFFERS) problems.push('not flat')
    if (problems.length > 0) failed += 1
    console.log(`${read.padEnd(40)} ${cells.join('')} ${problems.length > 0 ? `✗ ${problems.join('; ')}` : '✓'}`)
  }
  console.log(failed > 0 ? `✗ ${failed} reads grow` : `✓ No read grows with the number of apps.`)
  process.exitCode = failed > 0 ? 1 : 0
}
