import { setTimeout as pause } from 'node:timers/promises'
import { pick, randomFrom } from './harness/random.ts'
import { finish } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'

type Log = (line: string) => void

interface Kind {
  name: string
  program: string
  timeoutSeconds?: number
  status: string
  reason: string | null
  exitCode: number | null
  lines: number
}

const FLOOD = 2000
const LONGER = 'setTimeout(() => {}, 1500 * Math.random())'

/** What a run may do, and how its record has to end. Each first says that it was started. */
const KINDS: readonly Kind[] = [
  { name: 'success', program: LONGER, status: 'SUCCEEDED', reason: null, exitCode: 0, lines: 0 },
  { name: 'exit code', program: 'process.exit(7)', status: 'FAILED', reason: 'EXIT_CODE', exitCode: 7, lines: 0 },
  {
    ...{ name: 'signal', program: `process.kill(process.pid, 'SIGKILL')` },
    ...{ status: 'FAILED', reason: 'SIGNAL', exitCode: 137, lines: 0 },
  },
  {
    ...{ name: 'memory', program: 'const all = []; for (;;) all.push(Buffer.alloc(16e6, 1))' },
    ...{ status: 'FAILED', reason: 'OUT_OF_MEMORY', exitCode: 137, lines: 0 },
  },
  {
    ...{ name: 'hang', program: 'setInterval(() => {}, 1000)', timeoutSeconds: 3 },
    ...{ status: 'TIMED_OUT', reason: 'TIMED_OUT', exitCode: null, lines: 0 },
  },
  {
    ...{ name: 'deaf', program: `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, timeoutSeconds: 3 },
    ...{ status: 'TIMED_OUT', reason: 'TIMED_OUT', exitCode: 137, lines: 0 },
  },
  {
    ...{ name: 'flood', program: `for (let n = 0; n < ${FLOOD}; n += 1) console.log('line ' + n)` },
    ...{ status: 'SUCCEEDED', reason: null, exitCode: 0, lines: FLOOD },
  },
]

interface RunRow {
  id: string
  status: string
  reason: string | null
  exit_code: number | null
  attempts: number
  starts: number
  lines: number
  kept: number
}

export interface JobReport {
  runs: number
  kills: number
  mostAtOnce: number
}

/**
 * Runs with random outcomes while workers are killed at random. Each record has to end in the true state, with one
 * container and one start, all of its lines, and no container left.
 */
export async function runJobs(
  cluster: TestCluster,
  { seed, runs, maxConcurrency }: { seed: number; runs: number; maxConcurrency: number },
  log: Log,
): Promise<JobReport> {
  const random = randomFrom(seed)
  const appEnvId = await createJob(cluster, maxConcurrency)
  const asked = new Map<string, Kind>()
  for (let number = 0; number < runs; number += 1) {
    const kind = pick(random, KINDS)
    asked.set(await request(cluster, appEnvId, kind), kind)
  }
  const report = { runs, kills: 0, mostAtOnce: 0 }
  await killUntilEnded(cluster, appEnvId, { random, report, log, until: Date.now() + 60_000 + runs * 15_000 })
  for (const row of await rowsOf(cluster, appEnvId)) expectTruth(row, asked.get(row.id))
  await expectNoContainers(cluster, appEnvId)
  if (report.mostAtOnce > maxConcurrency) throw new Error(`${report.mostAtOnce} ran at once, not ${maxConcurrency}`)
  return report
}

async function createJob(cluster: TestCluster, maxConcurrency: number): Promise<string> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId ?? ''
  const jobConfig = { maxConcurrency, ttlSecondsAfterFinished: 5 }
  const app = { name: 'Jobs', accountId, dockerPreset: 'JOB', useImage: true, image: cluster.image, jobConfig }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  const appEnv = { accountId, appId, name: 'production', region: 'local' }
  const { appEnvId } = (await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
  await finish(cluster, 'deploy-image', { appEnvId }, { image: cluster.image })
  return appEnvId
}

async function request(cluster: TestCluster, appEnvId: string, kind: Kind): Promise<string> {
  const args = ['-e', `console.log('started'); ${kind.program}`]
  const command = { command: 'node', args, shell: false, timeoutSeconds: kind.timeoutSeconds ?? 600 }
  const { jobRunId } = await cluster.ok('POST', '/app-env/job-runs', { appEnvId, ...command })
  return String(jobRunId)
}

interface Killing {
  random: () => number
  report: JobReport
  log: Log
  until: number
}

async function killUntilEnded(cluster: TestCluster, appEnvId: string, { random, report, log, until }: Killing) {
  for (let told = -1; ; ) {
    const { rows } = await cluster.pool.query<{ open: number; running: number }>(
      `SELECT count(*)::int AS open, count(*) FILTER (WHERE status = 'RUNNING')::int AS running
       FROM job_run WHERE app_env_id = $1 AND status IN ('QUEUED', 'RUNNING')`,
      [appEnvId],
    )
    const { open = 0, running = 0 } = rows[0] ?? {}
    report.mostAtOnce = Math.max(report.mostAtOnce, running)
    if (open === 0) return
    if (Date.now() > until) throw new Error(`${open} runs have not ended in time`)
    if (Math.floor(open / 25) !== told) log(`${open} runs open, ${report.kills} kills`)
    told = Math.floor(open / 25)
    await pause(500 + random() * 4000)
    pick(random, cluster.of('worker')).signal('SIGKILL')
    report.kills += 1
  }
}

const rowsOf = async (cluster: TestCluster, appEnvId: string): Promise<RunRow[]> =>
  (
    await cluster.pool.query<RunRow>(
      `SELECT r.id, r.status::text, r.reason, r.exit_code,
        (SELECT count(*)::int FROM job_attempt a WHERE a.run_id = r.id) AS attempts,
        count(l.*) FILTER (WHERE l.message = 'started')::int AS starts,
        count(DISTINCT l.message) FILTER (WHERE l.message LIKE 'line %')::int AS lines, count(l.*)::int AS kept
      FROM job_run r JOIN job_attempt a ON a.run_id = r.id LEFT JOIN container c ON c.container_id = a.container_id
      LEFT JOIN log_line l ON l.container_id = c.id WHERE r.app_env_id = $1 GROUP BY r.id`,
      [appEnvId],
    )
  ).rows

function expectTruth(row: RunRow, kind: Kind | undefined): void {
  if (!kind) throw new Error(`${row.id} was never asked for`)
  const isTrue =
    row.status === kind.status &&
    row.reason === kind.reason &&
    (kind.exitCode === null || row.exit_code === kind.exitCode) &&
    // No line is lost, and none is there twice.
    [row.attempts, row.starts, row.lines, row.kept].join() === [1, 1, kind.lines, kind.lines + 1].join()
  if (!isTrue) throw new Error(`A run of the kind "${kind.name}" ended as ${JSON.stringify(row)}`)
}

async function expectNoContainers(cluster: TestCluster, appEnvId: string): Promise<void> {
  const filters = { label: [`berth.env=${appEnvId}`] }
  for (const until = Date.now() + 120_000; ; await pause(500)) {
    const left = await cluster.docker.listContainers({ all: true, filters })
    if (left.length === 0) return
    if (Date.now() > until) throw new Error(`${left.length} containers were left`)
  }
}
