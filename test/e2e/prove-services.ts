// npm run prove -- services [--only REDIS,MYSQL --cycles 50 --steps upgrade,secrets]     every engine, its whole life
import { parseArgs } from 'node:util'
import Docker from 'dockerode'
import type { Engine } from '../../src/app-types/engines/engine.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { proveOnTestCluster } from '../crash/harness/prove-on-test-cluster.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { freePorts } from '../support/free-ports.ts'
import { CLIENTS } from './engine-clients.ts'
import { type Result, ServiceMatrix, tableOf } from './services/matrix.ts'
import { STEPS } from './services/steps.ts'

process.env.BERTH_TEST_REPETITIONS = 'all'
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    cycles: { type: 'string', default: '50' },
    steps: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
/** One engine has its port at a time. */
const PORTS = 8

const only = values.only?.split(',')
const named = values.steps?.split(',')
// The first two make what the others are about, and the last one removes it.
const steps = STEPS.filter(
  ({ name }, at) => !named || at < 2 || at === STEPS.length - 1 || named.some((one) => name.includes(one)),
)
const docker = new Docker()
const engines: Engine[] = []
for (const engine of ENGINES.filter(({ name }) => !only || only.includes(name))) {
  if (!CLIENTS[engine.name]) console.log(`Skipped: ${engine.title} has no client in engine-clients.ts`)
  else if (await ensureEngineImages(docker, engine)) engines.push(engine)
}
const since = performance.now()
const results: Result[] = []
await proveOnTestCluster(
  async (cluster) => {
    await using matrix = await ServiceMatrix.open(cluster, { cycles: Number(values.cycles) })
    for (const engine of engines) results.push(...(await matrix.runAll(engine, (line) => console.log(line), steps)))
  },
  { isKept: values.keep, settings: { BERTH_TCP_PORTS: String(await freePorts(PORTS)) } },
)
console.log(tableOf(results))
console.log(`${((performance.now() - since) / 1000).toFixed(0)} s`)
process.exitCode = results.some(({ outcome }) => outcome === 'fails') || results.length === 0 ? 1 : 0
