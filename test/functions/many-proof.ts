import { setTimeout as pause } from 'node:timers/promises'
import { pick, randomFrom } from '../crash/harness/random.ts'
import type { Subject } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { request } from '../e2e/function-requests.ts'
import { eventually } from '../worker/fixtures.ts'
import { createFunction, depthOf, ingressUrls, sleepAt } from './function-cluster.ts'
import { processUse } from './process-use.ts'
import type { Proof, ProofContext } from './proof.ts'

const CONFIG = { idleSeconds: 1 }
const AT_ONCE = 4
const WAKES = 15
const IDLE_SECONDS = 20
/** Resident, with what as many deployments have left in the heaps of five processes. */
const MAX_MB_EACH = 4
/** Of the wake of one function alone, which has a held connection (BERTH_FUNCTION_NETWORKS): most of many have none. */
const MAX_SLOWER = 3

/** What many sleeping functions cost, and what they cost the wake of one. */
export const manyProof: Proof = {
  name: 'many',
  async run(context) {
    const { cluster, functions, seed, log, claim } = context
    const random = randomFrom(seed)
    const all = [await createFunction(cluster, 'many-0', CONFIG)]
    const alone = await measure(context, () => all[0] as Subject)
    log(`  one alone: ${wordsOf(alone)}`)
    await createAll(cluster, all, functions)
    await Promise.all(
      all.map((subject) =>
        eventually(
          () => depthOf(cluster, subject),
          (depth) => depth !== null,
          600,
        ),
      ),
    )
    const many = await measure(context, () => pick(random, all))
    log(`  ${functions} asleep: ${wordsOf(many)}`)
    const [grown, busier] = [many.memoryMb - alone.memoryMb, many.cpuPercent - alone.cpuPercent]
    claim(
      grown < MAX_MB_EACH * functions,
      `each costs less than ${MAX_MB_EACH} MB of Berth's memory: ${(grown / functions).toFixed(2)} MB`,
    )
    claim(busier < 10, `all of them cost ${busier.toFixed(1)} % of a processor`)
    const ratio = many.wakeMs / alone.wakeMs
    claim(
      ratio <= MAX_SLOWER,
      `the wake of a random one takes ${ratio.toFixed(2)} of one alone (${MAX_SLOWER} allowed)`,
    )
  },
}

async function createAll(cluster: TestCluster, all: Subject[], count: number): Promise<void> {
  let next = all.length
  const creators = Array.from({ length: AT_ONCE }, async () => {
    while (next < count) {
      const number = next
      next += 1
      all.push(await createFunction(cluster, `many-${number}`, CONFIG))
    }
  })
  await Promise.all(creators)
}

interface Cost {
  memoryMb: number
  cpuPercent: number
  byProcess: string[]
  /** The median. */
  wakeMs: number
}

const wordsOf = ({ memoryMb, cpuPercent, wakeMs, byProcess }: Cost) =>
  `${memoryMb} MB, ${cpuPercent.toFixed(1)} % of a processor, wake from STOPPED in ${wakeMs.toFixed(0)} ms (${byProcess.join(', ')})`

/** Of all processes of Berth together, while everything sleeps. */
async function measure({ cluster }: ProofContext, choose: () => Subject): Promise<Cost> {
  const wakes: number[] = []
  for (let wake = 0; wake < WAKES; wake += 1) {
    const subject = choose()
    await sleepAt(cluster, subject, 'STOPPED')
    const since = performance.now()
    const { status } = await request(ingressUrls(cluster)[0] ?? '', subject.host)
    if (status !== 200) throw new Error(`The wake was answered with ${status}`)
    wakes.push(performance.now() - since)
    await eventually(
      () => depthOf(cluster, subject),
      (depth) => depth !== null,
    )
  }
  const use = () => cluster.processes.map(({ name, pid }) => ({ name, ...processUse(pid ?? 0) }))
  const before = use()
  await pause(IDLE_SECONDS * 1000)
  const costs = use().map(({ name, memoryMb, cpuMs }, at) => {
    return { name, memoryMb, cpuPercent: (cpuMs - (before[at]?.cpuMs ?? 0)) / (10 * IDLE_SECONDS) }
  })
  const sum = (key: 'memoryMb' | 'cpuPercent') => costs.reduce((total, cost) => total + cost[key], 0)
  return {
    memoryMb: sum('memoryMb'),
    cpuPercent: sum('cpuPercent'),
    byProcess: costs.map(({ name, memoryMb, cpuPercent }) => `${name} ${memoryMb} MB ${cpuPercent.toFixed(1)} %`),
    wakeMs: wakes.sort((a, b) => a - b)[Math.floor(WAKES / 2)] ?? 0,
  }
}
