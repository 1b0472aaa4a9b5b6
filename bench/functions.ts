import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import type { BenchResult } from './bench-result.ts'
import { bareContainer, createAndStart, PROGRAM, untilOk } from './deploy-image.ts'
import { load } from './ingress.ts'
import { type BenchPlatform, startBenchPlatform } from './platform.ts'
import { inWhole, median, ratiosOf, spreadOf } from './spread.ts'

const ROUNDS = 9
const WARM_ROUNDS = 9
const WARM_SECONDS = 3
const POLL_MS = 20
const DEADLINE_MS = 60_000
/** Long enough at each depth for a request to meet it there. */
const DEPTH_SECONDS = '4'

const DEPTHS = [
  { depth: 'FROZEN', aim: 0.15, state: 'paused', limitedBy: 'the engine’s unpause, and the commits of claim and wake' },
  { depth: 'STOPPED', aim: 0.9, state: 'exited', limitedBy: 'the engine’s start, and the start of the program' },
  { depth: 'NONE', aim: 1.25, state: null, limitedBy: 'the engine’s own create and start' },
] as const

type Depth = (typeof DEPTHS)[number]

interface Environment {
  appEnvId: string
  host: string
}

/**
 * The first request of a sleeping function, by depth, against the same container created and started through dockerode
 * to its first 200; and requests to one that is awake against those to an ordinary app. In turns.
 */
export async function benchFunctions(): Promise<BenchResult[]> {
  const depthSettings = { BERTH_FROZEN_SECONDS: DEPTH_SECONDS, BERTH_STOPPED_SECONDS: DEPTH_SECONDS }
  const berth = await startBenchPlatform(depthSettings)
  try {
    const startup = { command: 'node', args: ['-e', PROGRAM], shell: false }
    const functionConfig = { idleSeconds: 1, concurrency: 1000, maxScale: 1 }
    const sleeper = await berth.createAppEnv('bench-function', startup, {
      app: { dockerPreset: 'FUNCTION', useImage: undefined, image: undefined },
      appEnv: { functionConfig },
    })
    const ordinary = await berth.createAppEnv('bench-ordinary', startup)
    for (const { appEnvId } of [sleeper, ordinary])
      await berth.post('/app-env/deploy-image', { appEnvId, image: berth.image }, { prefer: 'wait=60' })
    return [...(await benchWakes(berth, sleeper)), await benchWarm(berth, sleeper, ordinary)]
  } finally {
    await berth.stop()
  }
}

async function benchWakes(berth: BenchPlatform, sleeper: Environment): Promise<BenchResult[]> {
  const docker = new Docker()
  const reference: number[] = []
  const ours = DEPTHS.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    reference.push(await createAndStart(docker, bareContainer(berth.image)))
    for (const [index, depth] of DEPTHS.entries()) ours[index]?.push(await firstRequest(berth, docker, sleeper, depth))
  }
  const theirs = median(reference)
  return DEPTHS.map(({ depth, aim, limitedBy }, index) => {
    const mine = median(ours[index] ?? [])
    return {
      name: `first request of a function from ${depth}, against dockerode create + start → first 200`,
      ratio: mine / theirs,
      aim,
      better: 'lower',
      detail: `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${ROUNDS}`,
      limitedBy,
    }
  })
}

async function firstRequest(berth: BenchPlatform, docker: Docker, sleeper: Environment, depth: Depth): Promise<number> {
  await untilAsleep(berth, docker, sleeper, depth)
  const since = performance.now()
  await untilOk(targetOf(berth, sleeper))
  return performance.now() - since
}

async function untilAsleep(berth: BenchPlatform, docker: Docker, { appEnvId }: Environment, { depth, state }: Depth) {
  const filters = { label: [`berth.env=${appEnvId}`] }
  const deadline = performance.now() + DEADLINE_MS
  while (performance.now() < deadline) {
    const { sleepDepth } = await berth.get(`/app-env/status?appEnvId=${appEnvId}`)
    const [container] = sleepDepth === depth ? await docker.listContainers({ all: true, filters }) : []
    if (sleepDepth === depth && (container?.State ?? null) === state) return
    await sleep(POLL_MS)
  }
  throw new Error(`It is not ${depth} within ${DEADLINE_MS} ms`)
}

function targetOf({ ingressUrl }: BenchPlatform, { host }: Environment) {
  const { hostname, port } = new URL(ingressUrl)
  return { host: hostname, port: Number(port), headers: { host } }
}

async function benchWarm(berth: BenchPlatform, sleeper: Environment, ordinary: Environment): Promise<BenchResult> {
  const { port } = targetOf(berth, sleeper)
  for (const { host } of [sleeper, ordinary]) await load(port, 1, host)
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    theirs.push(await load(port, WARM_SECONDS, ordinary.host))
    ours.push(await load(port, WARM_SECONDS, sleeper.host))
  }
  return {
    name: 'requests to a function that is awake, against an ordinary app behind the same ingress',
    ratio: median(ratiosOf(ours, theirs)),
    aim: 0.9,
    better: 'higher',
    detail: `${inWhole(spreadOf(ours))} req/s against ${inWhole(spreadOf(theirs))} req/s; medians of ${WARM_ROUNDS} pairs of turns (least–most)`,
    limitedBy: 'counting each request twice, as it begins and as it ends',
  }
}
