// npm run prove -- database [--seed 7 --rounds 5 --environments 40 --calls 200]
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import { cutListeners, killDatabase } from './outages.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rounds: { type: 'string', default: '5' },
    environments: { type: 'string', default: '40' },
    calls: { type: 'string', default: '200' },
  },
})
const log = (line: string) => console.log(line)
const [seed, rounds, environments, calls] = [values.seed, values.rounds, values.environments, values.calls].map(Number)
log(`seed ${seed}`)
await proveOnTestCluster(async (cluster) => {
  const report = await killDatabase(
    cluster,
    { seed: seed ?? 0, rounds: rounds ?? 0, environments: environments ?? 0, calls: calls ?? 0 },
    log,
  )
  log(
    `PostgreSQL killed ${rounds} times under ${calls} concurrent operations: ${report.acknowledged} acknowledged, all there and ended; ${report.refused} refused with Retry-After, the slowest after ${report.slowestRefusalSeconds.toFixed(1)} s; no process died; ${report.requests} requests, none failed`,
  )
  log(`${await cutListeners(cluster)} listening sessions ended: the next operation was found all the same`)
})
