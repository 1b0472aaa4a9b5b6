import type Docker from 'dockerode'
import type { Engine } from '../../../src/app-types/engines/engine.ts'
import { engineVersion } from '../../../src/app-types/engines/engines.ts'
import { EngineWorld, RunningEngine } from '../../support/engines/running-engine.ts'
import { until } from './until.ts'

/** A container with the programs of an engine's image on the network of an account, like one of its apps. */
export async function clientOn(
  docker: Docker,
  engine: Engine,
  { installationId, accountId }: { installationId: string; accountId: string },
): Promise<RunningEngine> {
  const filters = { label: [`berth.installation=${installationId}`, `berth.account=${accountId}`] }
  const [network] = await until(
    `the network of ${accountId}`,
    () => docker.listNetworks({ filters }),
    ({ length }) => length > 0,
  )
  return startClient(docker, engine, network?.Name ?? '')
}

/** The same programs, on the network of the machine itself. */
export const clientOnHost = (docker: Docker, engine: Engine): Promise<RunningEngine> =>
  startClient(docker, engine, 'host')

async function startClient(docker: Docker, engine: Engine, network: string): Promise<RunningEngine> {
  const version = engineVersion(engine, null)
  if (!version) throw new Error(`${engine.name} has no default version`)
  const container = await docker.createContainer({
    Image: version.image,
    Entrypoint: ['sleep', 'infinity'],
    User: engine.hardening.user,
    HostConfig: { NetworkMode: network, CapDrop: ['ALL'], Init: true },
  })
  await container.start()
  return new RunningEngine(new EngineWorld(engine, version), container)
}
