import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { containerTruth, createJobs, expectNoContainers, type Truth } from './harness/jobs.ts'
import type { PrivateEngine } from './harness/private-engine.ts'
import { pick, randomFrom } from './harness/random.ts'
import type { TestCluster } from './harness/test-cluster.ts'
import { KINDS, type Kind } from './job-run-kinds.ts'

type Log = (line: string) => void

/** Long enough for a worker to see it: what none has seen, none can tell. */
const OUTAGE_MS = 6_000

interface RunRow {
  id: string
  status: string
  reason: string | null
  exitCode: number | null
  attempts: AttemptRow[]
}

interface AttemptRow {
  containerId: string | null
  reason: string | null
  isStarted: boolean
  exitCode: number | null
  starts: number
  lines: number
  kept: number
}

export interface JobReport {
  runs: Record<string, number>
  kills: number
  restarts: number
  /** Runs whose container was there while the engine was away. */
  outlived: number
  lines: number
  mostAtOnce: number
}

export interface JobOptions {
  seed: number
  runs: number
  maxConcurrency: number
  /** An engine to restart; null: it stays. */
  engine: PrivateEngine | null
  restarts: number
}

/**
 * Runs with random outcomes while workers are killed at random and the engine is restarted. Each record has to end in
 * the true state, with one container and one start for each attempt, all of its lines, and no container left.
 */
export async function runJobs(cluster: TestCluster, options: JobOptions, log: Log): Promise<JobReport> {
  const random = randomFrom(options.seed)
  const jobs = await createJobs(cluster, options.maxConcurrency)
  const asked = new Map<string, Kind>()
  for (let number = 0; number < options.runs; number += 1) {
    // Each kind is there, however few the runs.
    const kind = KINDS[number] ?? pick(random, KINDS)
    asked.set(await request(cluster, jobs[kind.job], kind), kind)
  }
  log(`${options.runs} runs asked for`)
  const watch = new Watch(cluster, options, random, log)
  await watch.untilEnded(Date.now() + 120_000 + options.runs * 15_000)
  const rows = await rowsOf(cluster)
  if (rows.length !== asked.size) throw new Error(`${rows.length} runs are recorded, and ${asked.size} were asked for`)
  for (const row of rows) expectTruth(row, asked.get(row.id), watch.truths)
  await expectNoContainers(cluster)
  if (watch.mostAtOnce > options.maxConcurrency)
    throw new Error(`${watch.mostAtOnce} ran at once, not ${options.maxConcurrency}`)
  const { kills, restarts, mostAtOnce, truths } = watch
  const runs = Object.groupBy(asked.values(), ({ name }) => name)
  return {
    kills,
    restarts,
    mostAtOnce,
    outlived: truths.size,
    lines: rows.flatMap(({ attempts }) => attempts).reduce((sum, { kept }) => sum + kept, 0),
    runs: Object.fromEntries(Object.entries(runs).map(([name, some = []]) => [name, some.length])),
  }
}

async function request(cluster: TestCluster, appEnvId: string, kind: Kind): Promise<string> {
  const args = ['-e', `console.log('started'); ${kind.program}`]
  const command = { command: 'node', args, shell: false, timeoutSeconds: kind.timeoutSeconds ?? 3600 }
  const { jobRunId } = await cluster.ok('POST', '/app-env/job-runs', { appEnvId, ...command })
  return String(jobRunId)
}

/** Kills workers and restarts the engine until all runs have ended. */
class Watch {
  kills = 0
  restarts = 0
  mostAtOnce = 0
  /** Of containers that were there while the engine was away: what it says of them itself. Null: they are gone. */
  readonly truths = new Map<string, Truth | null>()
  readonly #outlived = new Set<string>()
  readonly #cluster: TestCluster
  readonly #options: JobOptions
  readonly #random: () => number
  readonly #log: Log

  constructor(cluster: TestCluster, options: JobOptions, random: () => number, log: Log) {
    this.#cluster = cluster
    this.#options = options
    this.#random = random
    this.#log = log
  }

  async untilEnded(until: number): Promise<void> {
    const { runs, restarts, engine } = this.#options
    for (let told = -1; ; ) {
      const { open, running } = await this.#counts()
      this.mostAtOnce = Math.max(this.mostAtOnce, running)
      if (Math.floor(open / 25) !== told)
        this.#log(`${open} runs open, ${this.kills} kills, ${this.restarts} restarts of the engine`)
      told = Math.floor(open / 25)
      await this.#readTruths()
      const isRestarted = engine === null || this.restarts >= restarts
      if (open === 0 && this.#outlived.size === 0 && isRestarted) return
      if (Date.now() > until) throw new Error(`${open} runs have not ended in time`)
      const isDue = open < runs * (1 - (this.restarts + 1) / (restarts + 1))
      if (engine && !isRestarted && isDue) await this.#restart(engine)
      await pause(1000 + this.#random() * 4000)
      if (open === 0) continue
      pick(this.#random, this.#cluster.of('worker')).signal('SIGKILL')
      this.kills += 1
    }
  }

  async #counts(): Promise<{ open: number; running: number }> {
    const { rows } = await this.#cluster.pool.query<{ open: number; running: number }>(
      `SELECT coalesce(sum(open), 0)::int AS open, coalesce(max(running), 0)::int AS running FROM (
        SELECT count(*) AS open, count(*) FILTER (WHERE status = 'RUNNING') AS running FROM job_run
        WHERE status IN ('QUEUED', 'RUNNING') AND trigger <> 'RELEASE' GROUP BY app_env_id) each`,
    )
    return rows[0] ?? { open: 0, running: 0 }
  }

  async #restart(engine: PrivateEngine): Promise<void> {
    const before = await this.#runningContainers()
    await engine.kill()
    await pause(OUTAGE_MS)
    await engine.start()
    for (const id of [...before, ...(await this.#runningContainers())]) this.#outlived.add(id)
    this.restarts += 1
  }

  async #runningContainers(): Promise<string[]> {
    const { rows } = await this.#cluster.pool.query<{ id: string }>(
      'SELECT container_id AS id FROM job_attempt WHERE finished_at IS NULL AND container_id IS NOT NULL',
    )
    return rows.map(({ id }) => id)
  }

  /** Read while the container is kept: no line may be lost that the engine has, and no exit code be another. */
  async #readTruths(): Promise<void> {
    if (this.#outlived.size === 0) return
    const { rows } = await this.#cluster.pool.query<{ id: string }>(
      'SELECT container_id AS id FROM job_attempt WHERE container_id = ANY($1) AND finished_at IS NOT NULL',
      [[...this.#outlived]],
    )
    for (const { id } of rows) {
      this.truths.set(id, await containerTruth(this.#cluster, id))
      this.#outlived.delete(id)
    }
  }
}

const rowsOf = async (cluster: TestCluster): Promise<RunRow[]> =>
  (
    await cluster.pool.query<RunRow>(
      `SELECT r.id, r.status::text, r.reason, r.exit_code AS "exitCode", json_agg(json_build_object(
          'containerId', a.container_id, 'exitCode', a.exit_code, 'starts', starts, 'lines', lines, 'kept', kept,
          'reason', a.reason, 'isStarted', a.started_at IS NOT NULL)
          ORDER BY a.number) AS attempts
      FROM job_run r JOIN job_attempt a ON a.run_id = r.id LEFT JOIN container c ON c.container_id = a.container_id
      CROSS JOIN LATERAL (SELECT count(*) AS kept, count(*) FILTER (WHERE message = 'started') AS starts,
        count(DISTINCT message) FILTER (WHERE message LIKE 'line %') AS lines
        FROM log_line WHERE log_line.container_id = c.id) l WHERE r.trigger <> 'RELEASE' GROUP BY r.id`,
    )
  ).rows

function expectTruth(row: RunRow, kind: Kind | undefined, truths: ReadonlyMap<string, Truth | null>): void {
  if (!kind) throw new Error(`${row.id} was never asked for`)
  const told = row.attempts.map(({ containerId }) => truths.get(containerId ?? ''))
  const isOutlived = told.some((truth) => truth !== undefined)
  const isAsAsked =
    row.status === kind.status &&
    row.reason === kind.reason &&
    (kind.exitCode === undefined || row.exitCode === kind.exitCode) &&
    row.attempts.length === kind.attempts
  // An engine that was away tells neither how a command ended meanwhile, nor that memory was the reason. What it tells
  // of one whose time was up is its own code, 255.
  const isOwnAnswer = row.reason === 'ENGINE_LOST' || (row.status === 'TIMED_OUT' && kind.status === 'TIMED_OUT')
  const isTrue = isAsAsked || (isOutlived && isOwnAnswer && row.exitCode === row.attempts.at(-1)?.exitCode)
  const areWhole = row.attempts.every((attempt, index) => isWhole(attempt, kind, told[index]))
  const ids = row.attempts.map(({ containerId }) => containerId)
  if (!isTrue || !areWhole || new Set(ids).size !== ids.length)
    throw new Error(`A run of the kind "${kind.name}" ended as ${JSON.stringify({ ...row, told })}`)
}

/** Started once, no line lost, and none there twice. */
function isWhole(attempt: AttemptRow, kind: Kind, truth: Truth | null | undefined): boolean {
  const { containerId, exitCode, starts, lines, kept } = attempt
  if (truth === null) return starts <= 1 && isOfLostStart(attempt)
  if (truth) return starts <= 1 && kept === truth.lines && exitCode === truth.exitCode
  const expected = kind.reason === 'IMAGE_GONE' ? 0 : 1
  return (
    (containerId !== null) === (expected === 1) &&
    isDeepStrictEqual({ starts, lines, kept }, { starts: expected, lines: kind.lines, kept: kind.lines + expected })
  )
}

/** An engine that was killed while it started a container cannot tell whether it ran, so Berth removes it. */
const isOfLostStart = ({ reason, exitCode, isStarted }: AttemptRow): boolean =>
  reason === 'ENGINE_LOST' && exitCode === null && !isStarted
