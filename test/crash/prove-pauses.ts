// npm run prove:pauses [-- --seed 7 --pauses 100 --lease 15]
import { parseArgs } from 'node:util'
import { proveInLaboratory } from './harness/prove-on-test-cluster.ts'
import { pauseWorkers } from './pauses.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    pauses: { type: 'string', default: '100' },
    lease: { type: 'string', default: '15' },
  },
})
const tell = (line: string) => console.log(line)
tell(`seed ${values.seed}`)
await proveInLaboratory(
  async (lab) => {
    const report = await pauseWorkers(lab, { seed: Number(values.seed), pauses: Number(values.pauses) }, tell)
    tell(
      `${report.pauses} pauses past a lease of ${values.lease} s: no stale write, no container doubled; slowest takeover ${report.slowestTakeoverSeconds.toFixed(1)} s`,
    )
  },
  { processes: { worker: 2 }, settings: { BERTH_LEASE_SECONDS: values.lease } },
)
