import { setTimeout as pause } from 'node:timers/promises'
import { awaitInvariants } from './harness/invariants.ts'
import type { Pass } from './harness/orders.ts'
import { pick, randomFrom } from './harness/random.ts'
import { SCENARIOS, type Scenario } from './harness/scenarios.ts'
import { createSubject, ended, type Subject } from './harness/subject.ts'
import type { Role, TestCluster } from './harness/test-cluster.ts'

/** Every operation has to have ended this long after the killed process was started again. */
export const END_SECONDS = 30

export interface KillReport {
  kills: number
  /** Orders whose point was not passed this time, because timing decides how often some are. */
  missed: number
  slowestSeconds: number
}

export const emptyReport = (): KillReport => ({ kills: 0, missed: 0, slowestSeconds: 0 })

export type Log = (line: string) => void

/** SIGKILL at each pass of each failpoint that an operation comes by, one after another. */
export async function killAtEveryFailpoint(
  cluster: TestCluster,
  { passesOfEach, scenarios = SCENARIOS, subject: given, passes: known }: EveryFailpoint,
  log: Log,
): Promise<KillReport> {
  const subject = given ?? (await createSubject(cluster, 'Killed', 2))
  const report = emptyReport()
  for (const scenario of scenarios) {
    const passes = known?.(scenario) ?? (await passesOf(cluster, scenario, subject, passesOfEach))
    for (const pass of passes) await killAt(cluster, scenario, subject, pass, report, log)
    log(`${scenario.name}: ${passes.length} passes`)
  }
  return report
}

interface EveryFailpoint {
  /** How many of each point, when an operation comes by it more than once. */
  passesOfEach: number
  scenarios?: readonly Scenario[]
  /** The environment to work on; one of its own, if omitted. */
  subject?: Subject
  /** Where to kill; wherever an undisturbed run comes by, if omitted. */
  passes?(scenario: Scenario): readonly Pass[]
}

/** What the operation comes by when nothing kills it. */
export async function passesOf(
  cluster: TestCluster,
  scenario: Scenario,
  subject: Subject,
  most: number,
): Promise<Pass[]> {
  const prepared = await scenario.prepare(cluster, subject)
  await awaitInvariants(cluster)
  cluster.orders.forgetPasses()
  await expectOutcome(cluster, scenario, await scenario.act(cluster, prepared))
  await awaitInvariants(cluster)
  // Other environments are reconciled meanwhile; counting their passes would leave the point to chance.
  const isOurs = (about: string) => about === prepared.appEnvId || !about.startsWith('env_')
  return cluster.orders
    .passes(isOurs, most)
    .map((pass) => (pass.subject === prepared.appEnvId ? { ...pass, subject: 'env' } : pass))
}

async function killAt(
  cluster: TestCluster,
  scenario: Scenario,
  subject: Subject,
  pass: Pass,
  report: KillReport,
  log: Log,
): Promise<void> {
  const name = `${scenario.name} @ ${pass.point}#${pass.pass}`
  try {
    const prepared = await scenario.prepare(cluster, subject)
    const about = pass.subject === 'env' ? prepared.appEnvId : pass.subject
    cluster.orders.arm({ ...pass, subject: about }, 'SIGKILL', `${name} ${report.kills + report.missed}`)
    const operations = await scenario.act(cluster, prepared)
    await expectOutcome(cluster, scenario, operations)
    // Some points come after the operation, at the next reconcile.
    for (let waited = 0; waited < 20 && !cluster.orders.isFired; waited += 1) await pause(100)
    if (!cluster.orders.disarm()) report.missed += 1
    else report.kills += 1
    await Promise.all(cluster.processes.map((one) => one.ready()))
    report.slowestSeconds = Math.max(report.slowestSeconds, await awaitInvariants(cluster, END_SECONDS))
  } catch (error) {
    cluster.orders.disarm()
    log(`✗ ${name}`)
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export async function expectOutcome(
  cluster: TestCluster,
  { outcome }: Scenario,
  operations: readonly string[],
  seconds = END_SECONDS + 15,
): Promise<void> {
  for (const id of operations) {
    const operation = await ended(cluster, id, seconds)
    if (operation.status !== outcome) throw new Error(`It should have ended ${outcome}: ${JSON.stringify(operation)}`)
  }
}

export interface RandomKills {
  seed: number
  kills: number
  environments?: number
  scenarios?: readonly Scenario[]
  /** The first of the environments; all are new, if omitted. */
  subject?: Subject
}

/** Operations at random, on several environments at once, while processes are killed at random moments. */
export async function killAtRandom(
  cluster: TestCluster,
  { seed, kills, environments = 3, scenarios: played = SCENARIOS, subject }: RandomKills,
  log: Log,
): Promise<KillReport> {
  const random = randomFrom(seed)
  const subjects: Subject[] = subject ? [subject] : []
  for (let number = subjects.length; number < environments; number += 1)
    subjects.push(await createSubject(cluster, `Random ${number}`))
  const report = emptyReport()
  while (report.kills < kills) {
    const scenarios = subjects.map(() => pick(random, played))
    const role = pick<Role>(random, ['api', 'worker', 'worker', 'worker', 'ingress'])
    const afterMs = Math.floor(random() * 1500)
    const name = `${scenarios.map((one) => one.name).join(' + ')}, ${role} killed after ${afterMs} ms`
    try {
      const prepared = await Promise.all(
        subjects.map((subject, at) => scenarios[at]?.prepare(cluster, subject) ?? subject),
      )
      const acting = Promise.all(prepared.map((subject, at) => scenarios[at]?.act(cluster, subject) ?? []))
      await pause(afterMs)
      pick(random, cluster.of(role)).signal('SIGKILL')
      report.kills += 1
      const operations = await acting
      await Promise.all(operations.map((ids, at) => expectOutcome(cluster, scenarios[at] as Scenario, ids)))
      await Promise.all(cluster.processes.map((one) => one.ready()))
      report.slowestSeconds = Math.max(report.slowestSeconds, await awaitInvariants(cluster, END_SECONDS))
    } catch (error) {
      log(`✗ kill ${report.kills}: ${name}`)
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (report.kills % 20 === 0) log(`${report.kills} random kills`)
  }
  return report
}
