import { setTimeout as pause } from 'node:timers/promises'
import { startVisitors } from '../e2e/visitors.ts'
import { settle } from './harness/invariants.ts'
import type { Laboratory } from './harness/laboratory.ts'
import { pick, randomFrom } from './harness/random.ts'
import { createSubject, ended, finish, type Subject } from './harness/subject.ts'
import { END_SECONDS, type Tell } from './kills.ts'

/** A caller who is refused has to know so within this time. */
const REFUSAL_SECONDS = 5
const OUTAGE_MS = 3_000
const VISIT_PAUSE_MS = 250
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
  visits: number
}

/**
 * PostgreSQL is killed under many concurrent operations, stays away for a while and comes back. Whoever was told yes
 * finds the operation there, and ended; whoever was not was told to try again, in time. Deployed apps answer throughout.
 */
export async function killDatabase(lab: Laboratory, outages: Outages, tell: Tell): Promise<OutageReport> {
  const random = randomFrom(outages.seed)
  const subjects = await deployAll(lab, outages.environments)
  const report = { acknowledged: 0, refused: 0, slowestRefusalSeconds: 0, visits: 0 }
  const ingressUrl = `http://127.0.0.1:${lab.ports.ingress[0]}`
  const visits = subjects.map(({ host }) => startVisitors(ingressUrl, host, 1, VISIT_PAUSE_MS))
  const deaths = () => lab.processes.map(({ name, deaths }) => `${name} ${deaths}`).join(', ')
  const before = deaths()
  for (let round = 1; round <= outages.rounds; round += 1) {
    const calls = Array.from({ length: outages.calls }, (_, number) =>
      callOnce(lab, subjects[number % subjects.length] as Subject, pick(random, ['deploy-image', 'redeploy'])),
    )
    await pause(random() * LATEST_KILL_MS)
    lab.database.kill()
    const answers = await Promise.all(calls)
    await pause(OUTAGE_MS)
    await lab.database.restart()
    await judge(lab, answers, report)
    await settle(lab, END_SECONDS + outages.environments)
    tell(`round ${round}: ${report.acknowledged} acknowledged and ended, ${report.refused} refused`)
  }
  if (deaths() !== before) throw new Error(`Processes died: ${before} before, ${deaths()} now`)
  for (const visit of visits) {
    const { failures, byVersion } = await visit.stop()
    if (failures.length > 0) throw new Error(`${failures.length} visits failed, such as ${failures[0]}`)
    report.visits += [...byVersion.values()].reduce((sum, count) => sum + count, 0)
  }
  return report
}

/** Nobody is told of changes any more: they are found by looking. */
export async function cutListeners(lab: Laboratory): Promise<number> {
  const subject = await createSubject(lab, 'Unheard')
  const cut = await cutAll(lab)
  await finish(lab, 'deploy-image', subject, { image: lab.image })
  await settle(lab, END_SECONDS)
  return cut
}

/** After an outage sessions take a while to come back. */
async function cutAll(lab: Laboratory): Promise<number> {
  for (const until = Date.now() + END_SECONDS * 1000; ; await pause(100)) {
    const { rowCount } = await lab.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ('berth-listen', 'berth-ingress')`,
    )
    if (rowCount || Date.now() > until) return rowCount ?? 0
  }
}

async function deployAll(lab: Laboratory, environments: number): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (let number = 0; number < environments; number += 1) subjects.push(await createSubject(lab, `Outage ${number}`))
  const begun = subjects.map((subject) => finish(lab, 'deploy-image', subject, { image: lab.image }))
  await Promise.all(begun)
  await settle(lab)
  return subjects
}

interface Once {
  status: number
  operationId: string | null
  retryAfter: string | null
  seconds: number
}

/** One try, as a client that does not repeat sees it. */
async function callOnce(lab: Laboratory, { appEnvId }: Subject, path: string): Promise<Once> {
  const since = performance.now()
  const response = await fetch(`http://127.0.0.1:${lab.ports.api[0]}/api/public/v1/app-env/${path}`, {
    method: 'POST',
    headers: { authorization: lab.token, 'content-type': 'application/json' },
    body: JSON.stringify(path === 'deploy-image' ? { appEnvId, image: lab.image } : { appEnvId }),
  })
  await response.text()
  return {
    status: response.status,
    operationId: /op_\w+/.exec(response.headers.get('operation-location') ?? '')?.[0] ?? null,
    retryAfter: response.headers.get('retry-after'),
    seconds: (performance.now() - since) / 1000,
  }
}

async function judge(lab: Laboratory, answers: readonly Once[], report: OutageReport): Promise<void> {
  for (const answer of answers) {
    if (answer.operationId !== null) {
      // Superseded by a later call on the same environment, or done.
      const operation = await ended(lab, answer.operationId, END_SECONDS + 60)
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
