import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { networkName } from '../../src/engines/docker/networks.ts'
import { ask } from './clients.ts'
import { type Sample, startTestPlatform, type TestPlatform } from './platform.ts'

const REPAIR_SECONDS = 30

interface Status {
  health: string
  replicas: { desired: number; running: number; ready: number }
}

export type NetworkSite = Awaited<ReturnType<typeof startNetworkSite>>

/** A platform with environments of so many containers, each on a network of its own, to be harmed by hand. */
export async function startNetworkSite(settings: Record<string, string>, containers: readonly number[]) {
  const berth = await startTestPlatform(settings)
  const samples = await Promise.all(containers.map((count) => sampleOf(berth, count)))
  const status = ({ appEnvId }: Sample) => berth.ok<Status>('GET', `/app-env/status?appEnvId=${appEnvId}`)

  const containersOf = async ({ appEnvId }: Sample, version = 1) => {
    const found = await berth.docker.listContainers({ filters: { label: [`berth.env=${appEnvId}`] } })
    return found.filter(({ Names }) => Names[0]?.includes(`-v${version}-`)).map(({ Id }) => Id)
  }

  const network = ({ accountId }: Sample) =>
    berth.docker.getNetwork(networkName(berth.platform.installationId ?? '', accountId))

  const disconnect = (sample: Sample, Container: string) => network(sample).disconnect({ Container, Force: true })

  async function disconnectAll(sample: Sample): Promise<void> {
    const { Containers = {} } = await network(sample).inspect()
    await Promise.all(Object.keys(Containers).map((id) => disconnect(sample, id)))
  }

  /** What status and the ingress say, 5 times a second, until both are well again. Returns the seconds that took. */
  async function repaired(sample: Sample, since: number): Promise<number> {
    const { host, appEnvId } = sample
    const { containers } = await berth.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    for (;;) {
      const [seen, answer] = await Promise.all([status(sample), ask(berth.platform.ingressUrl ?? '', host)])
      const seconds = (performance.now() - since) / 1000
      if (seen.health === 'HEALTHY' && seen.replicas.ready === containers && answer.status === 200) return seconds
      if (seconds > REPAIR_SECONDS) throw new Error(`${answer.status} and ${JSON.stringify(seen)} after ${seconds} s`)
      await sleep(200)
    }
  }

  return {
    berth,
    samples,
    status,
    containersOf,
    disconnectAll,
    repaired,
    disconnectOne: async (sample: Sample) => disconnect(sample, (await containersOf(sample))[0] ?? ''),
    /** A deployment may connect another container between the two calls, and then the engine refuses the second. */
    removeNetwork: (sample: Sample) =>
      vi.waitFor(
        async () => {
          await disconnectAll(sample)
          await network(sample).remove()
        },
        { timeout: 60_000 },
      ),
    deploy: (sample: Sample, envVars: { name: string; value: string }[]) => deploy(berth, sample, envVars),
  }
}

async function deploy(
  berth: TestPlatform,
  { appEnvId }: Sample,
  envVars: { name: string; value: string }[] = [],
  headers: Record<string, string> = {},
): Promise<void> {
  await berth.ok('PUT', '/app-env', { appEnvId, envVars })
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image: berth.image }, headers)
}

async function sampleOf(berth: TestPlatform, containers: number): Promise<Sample> {
  const name = `Networked ${containers}`
  const { accountId } = await berth.ok<{ accountId: string }>('POST', '/account', { name })
  const sample = await berth.createSample(name, containers, accountId)
  await deploy(berth, sample, [], { prefer: 'wait=60' })
  return sample
}
