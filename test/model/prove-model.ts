// npm run prove -- model [--seed 7 --runs 1000 --commands 30 --crowds 20 --containers 20]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase } from '../../src/storage/database/client.ts'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { migrate } from '../../src/storage/database/migrate.ts'
import type { World } from '../support/world.ts'
import { containerEngine } from './container-engine.ts'
import { type Plays, runPlays } from './run-plays.ts'
import { type Engine, pretendedEngine, setStage } from './stage.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '1000' },
    commands: { type: 'string', default: '30' },
    callers: { type: 'string', default: '4' },
    /** Plays in which 20 callers come at once. */
    crowds: { type: 'string', default: '20' },
    /** Plays on containers of the machine's engine. */
    containers: { type: 'string', default: '20' },
    slots: { type: 'string', default: '24' },
    /** Of one play to repeat, as a failure names it. */
    path: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
})
const log = (line: string) => console.log(line)
const [seed, turns] = [Number(values.seed), Number(values.commands)]
log(`seed ${seed}`)

/** On a PostgreSQL of its own, which nobody misses when it is lost. */
async function perform(
  what: string,
  openEngine: (world: World) => Promise<Engine>,
  plays: Omit<Plays, 'seed'>,
): Promise<void> {
  if (plays.runs === 0) return
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-model-'))
  const settings = { fsync: 'off', synchronous_commit: 'off' }
  const postgres = await startEmbeddedPostgres({ dataDir, settings })
  try {
    await migrate(postgres.url)
    const database = createDatabase({ url: postgres.url, poolSize: 40 })
    const stage = await setStage(openEngine, { url: postgres.url, database, drop: () => database.$disconnect() })
    try {
      const since = performance.now()
      const report = await runPlays(stage, { ...plays, seed }, log)
      const took = ((performance.now() - since) / 1000).toFixed(0)
      log(`${report.plays} plays ${what}: ${report.calls} calls, all explained; never two active contents (${took} s)`)
    } finally {
      await stage.close()
    }
  } finally {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const images = ['sound', 'other', 'broken']
const callers = Number(values.callers)
if (values.path !== undefined) {
  const again = { runs: 1, slots: 1, path: values.path, shrinks: values.shrink }
  await perform('repeated', pretendedEngine, { ...again, turns, callers, images })
} else {
  const slots = Number(values.slots)
  const each = { shrinks: values.shrink, images }
  await perform(`of ${turns} commands`, pretendedEngine, { ...each, runs: Number(values.runs), slots, turns, callers })
  await perform('of 20 callers at once', pretendedEngine, {
    ...each,
    runs: Number(values.crowds),
    slots: Math.min(slots, 3),
    turns: 100,
    callers: 20,
  })
  const onContainers = { shrinks: false, runs: Number(values.containers), slots: 4, turns, callers: 3 }
  await perform('on containers', containerEngine, { ...onContainers, images: ['sound', 'other'] })
}
