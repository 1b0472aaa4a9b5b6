// npm run prove:jobs [-- --seed 7 --runs 500 --concurrency 8 --workers 4]
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import { runJobs } from './job-runs.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '500' },
    concurrency: { type: 'string', default: '8' },
    workers: { type: 'string', default: '4' },
  },
})
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)
await proveOnTestCluster(
  async (cluster) => {
    const options = { seed: Number(values.seed), runs: Number(values.runs), maxConcurrency: Number(values.concurrency) }
    const { runs, kills, mostAtOnce } = await runJobs(cluster, options, log)
    log(`${runs} runs, ${kills} workers killed: every record true, started once, no line lost or doubled, none left`)
    log(`${mostAtOnce} ran at once at most, of ${values.concurrency} allowed`)
  },
  { processes: { worker: Number(values.workers) }, settings: { BERTH_LEASE_SECONDS: '10' } },
)
