import { setTimeout as pause } from 'node:timers/promises'
import { awaitInvariants, isOfAccount } from './harness/invariants.ts'
import type { Pass } from './harness/orders.ts'
import type { BerthProcess } from './harness/process.ts'
import { pick, randomFrom } from './harness/random.ts'
import { SCENARIOS, type Scenario } from './harness/scenarios.ts'
import { createSubject, type Subject } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'
import { END_SECONDS, expectOutcome, type Log, passesOf } from './kills.ts'

export interface PauseReport {
  pauses: number
  slowestTakeoverSeconds: number
}

interface Pauses {
  seed: number
  pauses: number
  /** Where each operation is paused, one after the other; somewhere at random, if omitted. */
  points?: Readonly<Record<string, Pass>>
}

/**
 * A worker is stopped by SIGSTOP in the middle of an operation. The other has to take over and end it; then the
 * first goes on where it was, and must change nothing. Needs two workers.
 */
export async function pauseWorkers(
  cluster: TestCluster,
  { seed, pauses, points }: Pauses,
  log: Log,
): Promise<PauseReport> {
  const random = randomFrom(seed)
  const subject = await createSubject(cluster, 'Paused', 2)
  const passes = new Map<string, Pass[]>()
  const report = { pauses: 0, slowestTakeoverSeconds: 0 }
  // A cancelled operation is over in the request, so there is nothing to take over.
  const scenarios = SCENARIOS.filter(({ outcome }) => outcome === 'SUCCEEDED')
  const drawn = async (): Promise<[Scenario, Pass]> => {
    const scenario = pick(random, scenarios)
    const known = passes.get(scenario.name) ?? (await workersPasses(cluster, scenario, subject))
    passes.set(scenario.name, known)
    return [scenario, pick(random, known)]
  }
  while (report.pauses < pauses) {
    const [scenario, pass] = points ? chosen(points, report.pauses) : await drawn()
    const name = `${scenario.name} paused @ ${pass.point}#${pass.pass}`
    try {
      const took = await pauseAt(cluster, scenario, subject, pass, `${name} ${report.pauses}`)
      if (took === null && points) throw new Error('It was not passed')
      if (took === null) continue
      report.pauses += 1
      report.slowestTakeoverSeconds = Math.max(report.slowestTakeoverSeconds, took)
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (report.pauses % 10 === 0) log(`${report.pauses} pauses`)
  }
  return report
}

function chosen(points: Readonly<Record<string, Pass>>, number: number): [Scenario, Pass] {
  const [name, pass] = Object.entries(points)[number] ?? []
  const scenario = SCENARIOS.find((one) => one.name === name)
  if (!scenario || !pass) throw new Error(`There is no point ${number} to pause at`)
  return [scenario, pass]
}

async function workersPasses(cluster: TestCluster, scenario: Scenario, subject: Subject): Promise<Pass[]> {
  const passes = await passesOf(cluster, scenario, subject, 4)
  return passes.filter(({ point }) => !/^(request|routes)\./.test(point))
}

/** Seconds from the pause to the operation's end; null when the point was not passed before that. */
async function pauseAt(
  cluster: TestCluster,
  scenario: Scenario,
  subject: Subject,
  pass: Pass,
  id: string,
): Promise<number | null> {
  const prepared = await scenario.prepare(cluster, subject)
  const about = pass.subject === 'env' ? prepared.appEnvId : pass.subject
  cluster.orders.arm({ ...pass, subject: about }, 'SIGSTOP', id)
  const operations = await scenario.act(cluster, prepared)
  const since = performance.now()
  await expectOutcome(cluster, scenario, operations)
  const took = (performance.now() - since) / 1000
  if (!cluster.orders.disarm()) return null
  const paused = pausedWorker(cluster)
  try {
    await awaitInvariants(cluster, END_SECONDS)
    const before = await truth(cluster)
    paused.signal('SIGCONT')
    await paused.ready()
    // Long enough for it to do what it was about to, and to find out that it may not.
    await pause(500)
    await awaitInvariants(cluster, END_SECONDS)
    const after = await truth(cluster)
    if (after !== before) throw new Error(`Something was written after the pause:\n${before}\n${after}`)
    return took
  } finally {
    paused.signal('SIGCONT')
  }
}

function pausedWorker(cluster: TestCluster): BerthProcess {
  const paused = cluster.of('worker').find(({ pid }) => pid === cluster.orders.firedBy)
  if (!paused) throw new Error('It was no worker that paused')
  return paused
}

/** What must be the same before and after: everything that only an operation may change. */
async function truth({ pool, docker, installationId }: TestCluster): Promise<string> {
  const { rows } = await pool.query<{ truth: string }>(`
    SELECT concat_ws(E'\\n',
      (SELECT string_agg(concat_ws(' ', id, status, reason, attempt, finished_at), E'\\n' ORDER BY id) FROM operation),
      (SELECT string_agg(concat_ws(' ', id, status, image_digest, deployed_at), E'\\n' ORDER BY id) FROM content),
      (SELECT string_agg(concat_ws(' ', id, status, current_content_id, rollout_id, replicas_desired, last_version), E'\\n'
        ORDER BY id) FROM app_env),
      (SELECT string_agg(concat_ws(' ', name, container_id, address, state), E'\\n' ORDER BY name) FROM replica)) AS truth`)
  const filters = { label: [`berth.installation=${installationId}`] }
  const listed = await docker.listContainers({ all: true, filters })
  // Connections for later runs come and go by themselves.
  const containers = listed.filter(({ Labels }) => !isOfAccount(Labels['berth.role']))
  return `${rows[0]?.truth}\n${containers.map(({ Id, State }) => `${Id} ${State}`).sort()}`
}
