import { setTimeout as pause } from 'node:timers/promises'
import { FIRST_BUILD } from './harness/build-scenario.ts'
import type { EngineGate, EngineWeather } from './harness/engine-gate.ts'
import { awaitInvariants } from './harness/invariants.ts'
import type { PrivateEngine } from './harness/private-engine.ts'
import { pick, randomFrom } from './harness/random.ts'
import { SCENARIOS, type Scenario } from './harness/scenarios.ts'
import { createSubject, finish, type Subject } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'
import type { Log } from './kills.ts'
import { expectOutcome } from './kills.ts'

const FAULTS = ['killed', 'mute', 'half-open', 'cut'] as const
type Fault = (typeof FAULTS)[number]

/** How a release command ended while the engine was dead is not known, so its deployment fails, and rightly. */
const PLAYED = SCENARIOS.filter(({ name }) => name !== 'release')

/** An operation takes about this long, so that faults fall before, into and after each of its steps. */
const LATEST_FAULT_MS = 1_200
const OUTAGE_MS = 2_500
const SETTLE_SECONDS = 45
/** A pull whose stream has fallen silent is given up after a minute, and begun again. */
const END_SECONDS = 120

export interface EngineFaultReport {
  faults: Record<Fault, number>
  slowestSeconds: number
}

export interface Setting {
  cluster: TestCluster
  engine: PrivateEngine
  gate: EngineGate
}

interface EngineFaults {
  seed: number
  faults: number
  newImage?: (() => Promise<string>) | undefined
  /** What is under way when the engine is killed; an operation at random, if omitted. */
  kill?: () => Promise<void>
}

/**
 * The engine is killed, falls silent or cuts its connections in the middle of operations. All of them end as they
 * should, nothing is there twice, and an app that has nothing to do with it keeps its container.
 */
export async function failEngine(
  { cluster, engine, gate }: Setting,
  { seed, faults, newImage, kill }: EngineFaults,
  log: Log,
): Promise<EngineFaultReport> {
  const random = randomFrom(seed)
  const subject = await createSubject(cluster, 'Faulty', 2)
  const bystander = await createSubject(cluster, 'Bystander')
  await finish(cluster, 'deploy-image', bystander, { image: cluster.image })
  await awaitInvariants(cluster, SETTLE_SECONDS)
  const adopted = await containersOf(cluster, bystander)
  const report: EngineFaultReport = { faults: { killed: 0, mute: 0, 'half-open': 0, cut: 0 }, slowestSeconds: 0 }
  for (let number = 0; number < faults; number += 1) {
    const scenario = newImage && random() < 0.3 ? pulling(await newImage()) : pick(random, PLAYED)
    const fault = FAULTS[number % FAULTS.length] ?? 'killed'
    const afterMs = Math.floor(random() * LATEST_FAULT_MS)
    const isGiven = fault === 'killed' && kill !== undefined
    const name = isGiven ? 'the engine killed' : `${scenario.name}, the engine ${fault} after ${afterMs} ms`
    try {
      if (isGiven) await kill()
      else {
        const prepared = await scenario.prepare(cluster, subject)
        const acting = scenario.act(cluster, prepared)
        await pause(afterMs)
        await befall({ cluster, engine, gate }, fault)
        await expectOutcome(cluster, scenario, await acting, END_SECONDS)
      }
      report.slowestSeconds = Math.max(report.slowestSeconds, await awaitInvariants(cluster, SETTLE_SECONDS))
      report.faults[fault] += 1
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if ((number + 1) % 10 === 0) log(`${number + 1} faults`)
  }
  const kept = await containersOf(cluster, bystander)
  if (kept !== adopted) throw new Error(`The bystander's container was not adopted: ${adopted} became ${kept}`)
  return report
}

/** The engine is killed while it builds: the build is tried again, and nothing is left of the one that it cut off. */
export async function killEngineInBuild({ cluster, engine }: Setting): Promise<void> {
  const site = await FIRST_BUILD.prepare(cluster, await createSubject(cluster, 'Building'))
  const operations = await FIRST_BUILD.act(cluster, site)
  const filters = { label: [`berth.env=${site.appEnvId}`, 'berth.role=build'] }
  while ((await cluster.docker.listContainers({ filters })).length === 0) await pause(20)
  await engine.kill()
  await pause(OUTAGE_MS / 2)
  await engine.start()
  await expectOutcome(cluster, FIRST_BUILD, operations, END_SECONDS)
  await awaitInvariants(cluster, SETTLE_SECONDS)
}

async function befall({ engine, gate }: Setting, fault: Fault): Promise<void> {
  if (fault === 'killed') {
    await engine.kill()
    await pause(OUTAGE_MS / 2)
    await engine.start()
    return
  }
  gate.weather = fault satisfies EngineWeather
  await pause(OUTAGE_MS)
  gate.weather = 'fair'
}

/** An image that the engine does not have, from a registry that takes its time. */
const pulling = (image: string): Scenario => ({
  name: 'pull',
  prepare: async (_cluster, subject) => subject,
  act: async (cluster, { appEnvId }) => [await cluster.begin('POST', '/app-env/deploy-image', { appEnvId, image })],
  outcome: 'SUCCEEDED',
})

/** Ids and starts: a container that was restarted counts as another. */
async function containersOf({ docker }: TestCluster, { appEnvId }: Subject): Promise<string> {
  const listed = await docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })
  const seen = await Promise.all(listed.map(({ Id }) => docker.getContainer(Id).inspect()))
  return seen.map(({ Id, State }) => `${Id} ${State.StartedAt}`).join(' ')
}
