import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startClients } from '../e2e/clients.ts'
import { awaitInvariants } from './harness/invariants.ts'
import { pick, randomFrom } from './harness/random.ts'
import { createSubject, ended, finish, type Subject } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'
import { END_SECONDS, type Log } from './kills.ts'

/** A caller who is refused has to know so within this time. */
const REFUSAL_SECONDS = 5
const OUTAGE_MS = 3_000
const REQUEST_PAUSE_MS = 250
const LATEST_KILL_MS = 2_000

export interface Outages {
  seed: number
  rounds: number
  environments: number
  /** Concurrent calls, spread over the environments. */
  calls: number
}

export interface OutageReport {
  acknowledged: number
  refused: number
  slowestRefusalSeconds: number
  requests: number
}

/**
 * PostgreSQL is killed under many concurrent operations, stays away for a while and comes back. Every accepted call
 * finds the operation there, and ended; every other call is refused with a retry, in time. Deployed apps answer throughout.
 */
export async function killDatabase(cluster: TestCluster, outages: Outages, log: Log): Promise<OutageReport> {
  const random = randomFrom(outages.seed)
  const subjects = await deployAll(cluster, outages.environments)
  const report = { acknowledged: 0, refused: 0, slowestRefusalSeconds: 0, requests: 0 }
  const ingressUrl = `http://127.0.0.1:${cluster.ports.ingress[0]}`
  const clients = subjects.map(({ host }) => startClients(ingressUrl, host, 1, REQUEST_PAUSE_MS))
  const deaths = () => cluster.processes.map(({ name, deaths }) => `${name} ${deaths}`).join(', ')
  const before = deaths()
  for (let round = 1; round <= outages.rounds; round += 1) {
    const calls = Array.from({ length: outages.calls }, (_, number) =>
      callOnce(cluster, subjects[number % subjects.length] as Subject, pick(random, ['deploy-image', 'redeploy'])),
    )
    await pause(random() * LATEST_KILL_MS)
    cluster.database.kill()
    const answers = await Promise.all(calls)
    await pause(OUTAGE_MS)
    await cluster.database.restart()
    await judge(cluster, answers, report)
    await awaitInvariants(cluster, END_SECONDS + outages.environments)
    log(`round ${round}: ${report.acknowledged} acknowledged and ended, ${report.refused} refused`)
  }
  if (deaths() !== before) throw new Error(`Processes died: ${before} before, ${deaths()} now`)
  for (const client of clients) {
    const { failures, byVersion } = await client.stop()
    if (failures.length > 0) throw new Error(`${failures.length} requests failed, such as ${failures[0]}`)
    report.requests += [...byVersion.values()].reduce((sum, count) => sum + count, 0)
  }
  return report
}

/** Ends every listening session: changes are then found by polling. */
export async function cutListeners(cluster: TestCluster): Promise<number> {
  const subject = await createSubject(cluster, 'Unheard')
  const cut = await cutAll(cluster)
  await finish(cluster, 'deploy-image', subject, { image: cluster.image })
  await awaitInvariants(cluster, END_SECONDS)
  return cut
}

/** After an outage sessions take a while to come back. The owner of the database may not end those of the ingress's role. */
async function cutAll(cluster: TestCluster): Promise<number> {
  const client = new pg.Client({ connectionString: cluster.superuserUrl })
  await client.connect()
  try {
    for (const until = Date.now() + END_SECONDS * 1000; ; await pause(100)) {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ('berth-listen', 'berth-ingress')`,
      )
      if (rowCount || Date.now() > until) return rowCount ?? 0
    }
  } finally {
    await client.end()
  }
}

async function deployAll(cluster: TestCluster, environments: number): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (let number = 0; number < environments; number += 1)
    subjects.push(await createSubject(cluster, `Outage ${number}`))
  const begun = subjects.map((subject) => finish(cluster, 'deploy-image', subject, { image: cluster.image }))
  await Promise.all(begun)
  await awaitInvariants(cluster)
  return subjects
}

interface Once {
  status: number
  operationId: string | null
  retryAfter: string | null
  seconds: number
}

/** One try, as a client that does not repeat sees it. */
async function callOnce(cluster: TestCluster, { appEnvId }: Subject, path: string): Promise<Once> {
  const since = performance.now()
  const response = await fetch(`http://127.0.0.1:${cluster.ports.api[0]}/api/public/v1/app-env/${path}`, {
    method: 'POST',
    headers: { authorization: cluster.token, 'content-type': 'application/json' },
    body: JSON.stringify(path === 'deploy-image' ? { appEnvId, image: cluster.image } : { appEnvId }),
  })
  await response.text()
  return {
    status: response.status,
    operationId: /op_\w+/.exec(response.headers.get('operation-location') ?? '')?.[0] ?? null,
    retryAfter: response.headers.get('retry-after'),
    seconds: (performance.now() - since) / 1000,
  }
}

async function judge(cluster: TestCluster, answers: readonly Once[], report: OutageReport): Promise<void> {
  for (const answer of answers) {
    if (answer.operationId !== null) {
      // Superseded by a later call on the same environment, or done.
      const operation = await ended(cluster, answer.operationId, END_SECONDS + 60)
      const isFine = operation.status === 'SUCCEEDED' || operation.reason === 'SUPERSEDED'
      if (!isFine) throw new Error(`Acknowledged, and then ${JSON.stringify(operation)}`)
      report.acknowledged += 1
    } else {
      const isRefusal = answer.status === 503 && answer.retryAfter !== null && answer.seconds <= REFUSAL_SECONDS
      if (!isRefusal) throw new Error(`Neither accepted nor refused: ${JSON.stringify(answer)}`)
      report.refused += 1
      report.slowestRefusalSeconds = Math.max(report.slowestRefusalSeconds, answer.seconds)
    }
  }
}
