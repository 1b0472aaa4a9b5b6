// npm run prove -- pauses [--seed 7 --pauses 100 --lease 15]
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import { pauseWorkers } from './pauses.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    pauses: { type: 'string', default: '100' },
    lease: { type: 'string', default: '15' },
  },
})
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)
await proveOnTestCluster(
  async (cluster) => {
    const report = await pauseWorkers(cluster, { seed: Number(values.seed), pauses: Number(values.pauses) }, log)
    log(
      `${report.pauses} pauses past a lease of ${values.lease} s: no stale write, no container doubled; slowest takeover ${report.slowestTakeoverSeconds.toFixed(1)} s`,
    )
  },
  { processes: { worker: 2 }, settings: { BERTH_LEASE_SECONDS: values.lease } },
)
