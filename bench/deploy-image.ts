import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import type { BenchResult } from './bench-result.ts'
import { type BenchPlatform, startBenchPlatform } from './platform.ts'

const ROUNDS = 12
const POLL_MS = 2
const DEADLINE_MS = 30_000

export const PROGRAM = "require('node:http').createServer((q, r) => r.end('ok')).listen(3000)"

/**
 * From an accepted deploy-image to the first 200 through the ingress, against the same container created and started
 * through dockerode to its first 200. In turns, so that load on the machine affects both.
 */
export async function benchDeployImage(): Promise<BenchResult> {
  const berth = await startBenchPlatform()
  const docker = new Docker()
  const ours: number[] = []
  const reference: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      reference.push(await createAndStart(docker, berth.image))
      ours.push(await deploy(berth, round))
    }
  } finally {
    await berth.stop()
  }
  const [mine, theirs] = [median(ours), median(reference)]
  return {
    name: 'deploy-image accepted → first 200, against dockerode create + start → first 200',
    ratio: mine / theirs,
    aim: 1.5,
    better: 'lower',
    detail: `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${ROUNDS}`,
    limitedBy: 'the engine’s own create and start, then resolving the image and the commits of its checkpoints',
  }
}

/** The reference: a container through dockerode, to its first 200. */
export async function createAndStart(docker: Docker, image: string): Promise<number> {
  const started = performance.now()
  const container = await docker.createContainer({
    Image: image,
    Cmd: ['node', '-e', PROGRAM],
    HostConfig: { NanoCpus: 1e9, Memory: 512 * 1024 * 1024 },
  })
  try {
    await container.start()
    const { NetworkSettings } = await container.inspect()
    await untilOk({ host: NetworkSettings.Networks.bridge?.IPAddress ?? '', port: 3000 })
    return performance.now() - started
  } finally {
    await container.remove({ force: true })
  }
}

async function deploy(berth: BenchPlatform, round: number): Promise<number> {
  const { appEnvId, host } = await berth.createAppEnv(`bench-${round}`, {
    command: 'node',
    args: ['-e', PROGRAM],
    shell: false,
  })
  await berth.post('/app-env/deploy-image', { appEnvId, image: berth.image })
  const accepted = performance.now()
  const { hostname, port } = new URL(berth.ingressUrl)
  await untilOk({ host: hostname, port: Number(port), headers: { host } })
  const took = performance.now() - accepted
  // Removed between rounds, so that later rounds do not run beside earlier containers.
  await berth.post('/app-env/stop', { appEnvId }, { prefer: 'wait=60' })
  return took
}

export async function untilOk(target: { host: string; port: number; headers?: Record<string, string> }): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (performance.now() < deadline) {
    const status = await statusOf(target).catch(() => 0)
    if (status === 200) return
    await sleep(POLL_MS)
  }
  throw new Error(`No 200 from ${target.host}:${target.port} within ${DEADLINE_MS} ms`)
}

async function statusOf(target: { host: string; port: number; headers?: Record<string, string> }): Promise<number> {
  const sent = get({ ...target, path: '/', agent: false, timeout: 2_000 })
  sent.on('timeout', () => sent.destroy())
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode ?? 0
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
