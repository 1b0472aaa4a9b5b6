import { bash } from '../engine-clients.ts'
import { clientOn } from './account-clients.ts'
import type { ServiceStory } from './service-story.ts'

/** Which of the hosts a container of the account can open a connection to. */
async function reached(
  { cluster, engine }: ServiceStory,
  accountId: string,
  hosts: readonly string[],
): Promise<string[]> {
  const client = await clientOn(cluster.docker, engine, { installationId: cluster.installationId, accountId })
  try {
    const found: string[] = []
    for (const host of hosts) {
      const open = `timeout 2 bash -c 'exec 3<> /dev/tcp/${host}/${engine.port}'`
      if ((await client.exec(bash(open))).code === 0) found.push(host)
    }
    return found
  } finally {
    await client.remove()
  }
}

/** By its name and by its address: its own account reaches the service, another one does not. */
export async function expectOutOfReach(story: ServiceStory, strangerId: string): Promise<void> {
  const [container] = await story.containers()
  const address = Object.values(container?.NetworkSettings.Networks ?? {})[0]?.IPAddress ?? ''
  const hosts = [story.main.cliEnvName, address]
  const own = await reached(story, story.accountId, hosts)
  for (const host of hosts) if (!own.includes(host)) throw new Error(`The account itself does not reach ${host}`)
  const foreign = await reached(story, strangerId, hosts)
  if (foreign.length > 0) throw new Error(`Another account reaches ${foreign.join(', ')}`)
}
