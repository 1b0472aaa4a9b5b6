// npm run prove -- hostile [--seed 1 --requests 50000 --raw 10000]
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../../src/storage/database/embedded.ts'
import { migrate } from '../../src/storage/database/migrate.ts'
import { attack } from './campaign.ts'
import { STRINGS } from './corpus.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    requests: { type: 'string', default: '50000' },
    raw: { type: 'string', default: '10000' },
  },
})

const [seed, requests, raw] = [Number(values.seed), Number(values.requests), Number(values.raw)]
console.log(`Seed ${seed}: --seed ${seed} --requests ${requests} --raw ${raw} repeats this.`)

const dataDir = await mkdtemp(join(tmpdir(), 'berth-hostile-'))
const postgres = await startEmbeddedPostgres({ dataDir })
try {
  await migrate(postgres.url)
  const campaign = {
    databaseUrl: postgres.url,
    seed,
    requests,
    raw,
    sockets: 2_000,
    attacks: STRINGS,
    areCrossed: true,
  }
  const findings = await attack({
    ...campaign,
    tell: (line) => console.log(`${Math.round(performance.now() / 1000)} s: ${line}`),
  })
  console.log(findings.report() || '✓ Nothing is wrong.')
  process.exitCode = findings.count > 0 ? 1 : 0
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}
