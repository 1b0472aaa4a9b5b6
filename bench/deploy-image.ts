import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import type { BenchResult } from './bench-result.ts'
import { type BenchPlatform, servingContainer, startBenchPlatform } from './platform.ts'
import { median } from './spread.ts'

// The engine itself takes a tenth more or less from one to the next.
const ROUNDS = 24
const POLL_MS = 2
const DEADLINE_MS = 30_000

export const PROGRAM = "require('node:http').createServer((q, r) => r.end('ok')).listen(3000)"

/**
 * From an accepted deploy-image to the first 200 through the ingress, against the same container created and started
 * through dockerode to its first 200: with the configuration and on the network that Berth gave it. Beside it, a container
 * without any of these, on the engine's own network. In turns, so that load on the machine affects all; and all are asked
 * only once their container has started, because asking a few hundred times a second is such a load.
 */
export async function benchDeployImage(): Promise<BenchResult> {
  const berth = await startBenchPlatform()
  const docker = new Docker()
  const ours: number[] = []
  const same: number[] = []
  const bare: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await createAndStart(docker, bareContainer(berth.image)))
      const { took, container } = await deploy(berth, docker, round)
      ours.push(took)
      same.push(await createAndStart(docker, container))
    }
  } finally {
    await berth.stop()
  }
  const [mine, theirs, least] = [median(ours), median(same), median(bare)]
  return {
    name: 'deploy-image accepted → first 200, against dockerode create + start of the same container → first 200',
    ratio: mine / theirs,
    aim: 1.25,
    better: 'lower',
    detail: `${mine.toFixed(0)} ms against ${theirs.toFixed(0)} ms, medians of ${ROUNDS}; ${(mine / least).toFixed(2)} × a bare container on the engine's own network, ${least.toFixed(0)} ms`,
    limitedBy: 'the engine’s own create and start, then resolving the image and the commits of its checkpoints',
  }
}

/** As little as the engine needs for such a program. */
export const bareContainer = (image: string): Docker.ContainerCreateOptions => ({
  Image: image,
  Cmd: ['node', '-e', PROGRAM],
  HostConfig: { NanoCpus: 1e9, Memory: 512 * 1024 * 1024 },
})

/** What creates such a container again, without a label by which Berth would know it. */
async function configurationOf(docker: Docker, appEnvId: string): Promise<Docker.ContainerCreateOptions> {
  const id = await servingContainer(docker, appEnvId)
  const { Config, HostConfig } = await docker.getContainer(id).inspect()
  return { ...Config, Hostname: '', Labels: {}, HostConfig }
}

/** The reference: a container through dockerode, to its first 200. */
export async function createAndStart(docker: Docker, options: Docker.ContainerCreateOptions): Promise<number> {
  const started = performance.now()
  const container = await docker.createContainer(options)
  try {
    await container.start()
    const { NetworkSettings } = await container.inspect()
    const [network] = Object.values(NetworkSettings.Networks)
    await untilOk({ host: network?.IPAddress ?? '', port: 3000 })
    return performance.now() - started
  } finally {
    await container.remove({ force: true })
  }
}

async function deploy(
  berth: BenchPlatform,
  docker: Docker,
  round: number,
): Promise<{ took: number; container: Docker.ContainerCreateOptions }> {
  const { appEnvId, host } = await berth.createAppEnv(`bench-${round}`, {
    command: 'node',
    args: ['-e', PROGRAM],
    shell: false,
  })
  const isWatched = new AbortController()
  const filters = { event: ['start'], label: [`berth.env=${appEnvId}`] }
  const events = await docker.getEvents({ filters, abortSignal: isWatched.signal })
  const started = once(events, 'data')
  await berth.post('/app-env/deploy-image', { appEnvId, image: berth.image })
  const accepted = performance.now()
  await started
  isWatched.abort()
  const { hostname, port } = new URL(berth.ingressUrl)
  await untilOk({ host: hostname, port: Number(port), headers: { host } })
  const took = performance.now() - accepted
  const container = await configurationOf(docker, appEnvId)
  // Removed between rounds, so that later rounds do not run beside earlier containers.
  await berth.post('/app-env/stop', { appEnvId }, { prefer: 'wait=60' })
  return { took, container }
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
