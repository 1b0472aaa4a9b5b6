// npm run prove -- jobs [--seed 7 --runs 500 --concurrency 8 --workers 4 --restarts 2]
import { parseArgs } from 'node:util'
import { privateEngineProblem, startPrivateEngine } from './harness/private-engine.ts'
import { proveOnTestCluster } from './harness/prove-on-test-cluster.ts'
import { runJobs } from './job-runs.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '500' },
    concurrency: { type: 'string', default: '8' },
    workers: { type: 'string', default: '4' },
    restarts: { type: 'string', default: '2' },
  },
})
const log = (line: string) => console.log(line)
log(`seed ${values.seed}`)
const problem = privateEngineProblem()
if (problem) throw new Error(`This restarts an engine of its own, and ${problem}`)
await using engine = await startPrivateEngine()
await proveOnTestCluster(
  async (cluster) => {
    const report = await runJobs(
      cluster,
      {
        seed: Number(values.seed),
        runs: Number(values.runs),
        maxConcurrency: Number(values.concurrency),
        engine,
        restarts: Number(values.restarts),
      },
      log,
    )
    const { runs, kills, restarts, outlived, lines, mostAtOnce } = report
    log(
      Object.entries(runs)
        .map(([name, count]) => `${count} × ${name}`)
        .join(', '),
    )
    log(`${kills} workers killed, the engine restarted ${restarts} times, with ${outlived} runs on it`)
    log(`every record true, started once for each attempt, ${lines} lines without a lost or doubled one, none left`)
    log(`${mostAtOnce} of a job ran at once at most, of ${values.concurrency} allowed`)
  },
  {
    docker: engine.docker,
    processes: { worker: Number(values.workers) },
    settings: {
      BERTH_LEASE_SECONDS: '10',
      BERTH_ENGINE_TIMEOUT_SECONDS: '5',
      DOCKER_HOST: `unix://${engine.socketPath}`,
    },
  },
)
