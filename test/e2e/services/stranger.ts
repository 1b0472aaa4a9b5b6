import type { Engine } from '../../../src/app-types/engines/engine.ts'
import { bash } from '../engine-clients.ts'
import { clientOn } from './account-clients.ts'
import type { ServiceStory } from './service-story.ts'

/** Whether a connection can be opened from containers of the account. */
async function connects(
  { cluster }: ServiceStory,
  engine: Engine,
  accountId: string,
  address: { host: string; port: number },
): Promise<boolean> {
  const client = await clientOn(cluster.docker, engine, { installationId: cluster.installationId, accountId })
  try {
    const open = `timeout 5 bash -c 'exec 3<> /dev/tcp/${address.host}/${address.port}'`
    return (await client.exec(bash(open))).code === 0
  } finally {
    await client.remove()
  }
}

/** By its name and by its address: its own account reaches the service, another one does not. */
export async function expectOutOfReach(story: ServiceStory, strangerId: string): Promise<void> {
  const [container] = await story.containers()
  const address = Object.values(container?.NetworkSettings.Networks ?? {})[0]?.IPAddress ?? ''
  for (const host of [story.main.cliEnvName, address]) {
    const target = { host, port: story.engine.port }
    if (!(await connects(story, story.engine, story.accountId, target)))
      throw new Error(`The account itself does not reach ${host}`)
    if (await connects(story, story.engine, strangerId, target)) throw new Error(`Another account reaches ${host}`)
  }
}
