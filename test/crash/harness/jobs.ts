import { setTimeout as pause } from 'node:timers/promises'
import { JOBS, type JobName } from '../job-run-kinds.ts'
import { finish } from './subject.ts'
import type { TestCluster } from './test-cluster.ts'

/** Nobody answers there, so an image of this name that the engine has lost is gone for good. */
const LOST_IMAGE = '127.0.0.1:1/berth-lost-image:1'
/** Long enough to read what the engine knows of a container, short enough to see that it goes. */
const TTL_SECONDS = 20

const CONFIGS: Readonly<Record<JobName, Record<string, unknown>>> = {
  plain: {},
  retrying: { backoffLimit: 1 },
  gone: {},
}

/** One environment of each kind of job; the image of one of them is removed from the engine. */
export async function createJobs(cluster: TestCluster, maxConcurrency: number): Promise<Record<JobName, string>> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId ?? ''
  const created = new Map<string, string>()
  for (const job of JOBS) {
    const image = job === 'gone' ? await copyOf(cluster) : cluster.image
    const jobConfig = { maxConcurrency, ttlSecondsAfterFinished: TTL_SECONDS, ...CONFIGS[job] }
    const app = { name: `Jobs ${job}`, accountId, dockerPreset: 'JOB', useImage: true, image, jobConfig }
    const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
    const appEnv = { accountId, appId, name: 'production', region: 'local' }
    const { appEnvId } = (await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
    await finish(cluster, 'deploy-image', { appEnvId }, { image })
    created.set(job, appEnvId)
  }
  await cluster.docker.getImage(LOST_IMAGE).remove({ force: true })
  return Object.fromEntries(created) as Record<JobName, string>
}

/** An image of its own, which can be removed without the one that it is made from. */
async function copyOf({ docker, image }: TestCluster): Promise<string> {
  const container = await docker.createContainer({ Image: image, Cmd: ['node'] })
  const [repo, tag] = [LOST_IMAGE.slice(0, -2), '1']
  await container.commit({ repo, tag, comment: 'To be lost' })
  await container.remove()
  return LOST_IMAGE
}

/** What the engine says of a container. */
export interface Truth {
  exitCode: number
  lines: number
}

/** Null: the engine does not have the container any more. */
export async function containerTruth({ docker }: TestCluster, id: string): Promise<Truth | null> {
  const container = docker.getContainer(id)
  const inspected = await container.inspect().catch((error: { statusCode?: number }) => {
    if (error.statusCode === 404) return null
    throw error
  })
  if (!inspected) return null
  const { State } = inspected
  const output = await container.logs({ stdout: true, stderr: true })
  // Each line is a frame, which begins with eight bytes.
  let lines = 0
  for (let at = 0; at < output.length; at += 8 + output.readUInt32BE(at + 4)) lines += 1
  return { exitCode: State.ExitCode, lines }
}

export async function expectNoContainers({ docker, installationId }: TestCluster): Promise<void> {
  const filters = { label: [`berth.installation=${installationId}`, 'berth.role=run'] }
  for (const until = Date.now() + 180_000; ; await pause(500)) {
    const left = await docker.listContainers({ all: true, filters })
    if (left.length === 0) return
    if (Date.now() > until) throw new Error(`${left.length} containers were left`)
  }
}
