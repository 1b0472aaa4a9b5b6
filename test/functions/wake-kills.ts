import { setTimeout as pause } from 'node:timers/promises'
import { pick, randomFrom } from '../crash/harness/random.ts'
import type { Subject } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { type Answer, request } from '../e2e/function-requests.ts'
import { eventually } from '../worker/fixtures.ts'
import { containersOf, type Depth, heldOf, ingressUrls, sleepAt } from './function-cluster.ts'

export type Victim = 'nobody' | 'worker' | 'ingress' | 'container'
export const VICTIMS: readonly Victim[] = ['nobody', 'worker', 'ingress', 'container']

export interface Wake {
  depth: Depth
  victim: Victim
  /** Concurrent first requests, over all ingress processes in turn. */
  requests: number
  /** The victim is killed so long after the first request was sent; while its container starts, when omitted. */
  afterMs?: number
}

export interface WakeReport {
  answered: number
  /** Requests that a killed ingress held: nobody could answer them. */
  lost: number
  /** Anything else than 200, in words. */
  failures: string[]
  slowestMs: number
  /** Containers of the environment when all were answered. */
  containers: number
}

interface Outcome {
  ingress: number
  status: number
  words: string
  ms: number
}

/** Where a wake is held until the victim is dead: just after the engine started the container. */
const POINT = 'container.started'
/** The ingress that is killed. */
const KILLED = 1

/** Sends first requests to a function that sleeps, kills somebody while it wakes, and counts what becomes of them. */
export async function killDuringWake(cluster: TestCluster, subject: Subject, wake: Wake): Promise<WakeReport> {
  await sleepAt(cluster, subject, wake.depth)
  const urls = ingressUrls(cluster)
  const isHeld = wake.victim !== 'nobody' && wake.afterMs === undefined
  const pass = { point: POINT, subject: subject.appEnvId, pass: 1 } as const
  if (isHeld) cluster.orders.arm(pass, 'SIGSTOP', `${wake.victim} ${performance.now()}`)
  const asked = Array.from({ length: wake.requests }, (_, number) => ask(urls, number % urls.length, subject))
  if (isHeld) await killWhileItStarts(cluster, subject, wake)
  else if (wake.afterMs !== undefined) {
    await pause(wake.afterMs)
    await kill(cluster, subject, wake.victim, null)
  }
  const outcomes = await Promise.all(asked)
  await Promise.all(cluster.processes.map((one) => one.ready()))
  return reportOf(wake, outcomes, (await containersOf(cluster, subject)).length)
}

async function killWhileItStarts(cluster: TestCluster, subject: Subject, { victim }: Wake): Promise<void> {
  const pid = await eventually(
    async () => cluster.orders.firedBy,
    (firedBy) => firedBy !== null,
  )
  // The worker is stopped meanwhile, so all of them are held by now, or soon.
  await eventually(
    () => heldOf(cluster, subject),
    (held) => held.length === cluster.ports.ingress.length,
  )
  await kill(cluster, subject, victim, pid)
  if (victim !== 'worker' && pid !== null) process.kill(pid, 'SIGCONT')
}

async function kill(cluster: TestCluster, subject: Subject, victim: Victim, worker: number | null): Promise<void> {
  if (victim === 'ingress') cluster.of('ingress')[KILLED]?.signal('SIGKILL')
  if (victim === 'worker' && worker !== null) process.kill(worker, 'SIGKILL')
  // Whichever of them wakes it.
  if (victim === 'worker' && worker === null) for (const one of cluster.of('worker')) one.signal('SIGKILL')
  if (victim !== 'container') return
  for (const { Id, State } of await containersOf(cluster, subject))
    if (State === 'running') await cluster.docker.getContainer(Id).kill()
}

async function ask(urls: string[], ingress: number, { host }: Subject): Promise<Outcome> {
  const since = performance.now()
  const answer = await request(urls[ingress] ?? '', host).catch((error: Error) => error)
  const ms = performance.now() - since
  if (answer instanceof Error) return { ingress, status: 0, words: String(answer.message), ms }
  return { ingress, status: answer.status, words: wordsOf(answer), ms }
}

const wordsOf = ({ status, body }: Answer) => (status === 200 ? '' : `${status} ${body.slice(0, 200)}`)

function reportOf({ victim }: Wake, outcomes: Outcome[], containers: number): WakeReport {
  const isLost = ({ ingress, status }: Outcome) => victim === 'ingress' && ingress === KILLED && status === 0
  const lost = outcomes.filter(isLost)
  const others = outcomes.filter((one) => !isLost(one))
  return {
    answered: others.filter(({ status }) => status === 200).length,
    lost: lost.length,
    failures: others.filter(({ status }) => status !== 200).map(({ words }) => words),
    slowestMs: Math.max(0, ...others.map(({ ms }) => Math.round(ms))),
    containers,
  }
}

/** Kills at random moments: `rounds` wakes, each from a depth, and of a victim, that are drawn. */
export async function killAtRandomDuringWakes(
  cluster: TestCluster,
  subject: Subject,
  { seed, rounds, requests, depths }: { seed: number; rounds: number; requests: number; depths: readonly Depth[] },
  onReport: (wake: Wake, report: WakeReport) => void,
): Promise<void> {
  const random = randomFrom(seed)
  for (let round = 0; round < rounds; round += 1) {
    const victim = pick(random, VICTIMS.slice(1))
    const wake = { depth: pick(random, depths), victim, requests, afterMs: Math.round(random() * 1_500) }
    onReport(wake, await killDuringWake(cluster, subject, wake))
  }
}
