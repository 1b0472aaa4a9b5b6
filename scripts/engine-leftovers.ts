import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'

/** Removing a container is not over for a busy engine when it says so. */
const TRIES = 10
const PAUSE_MS = 500

/**
 * A busy engine (Docker 20.10) can lose count of what is attached to a network: it refuses to remove one that it shows
 * without containers, until it restarts ("Fixing inconsistent endpoint_cnt").
 */
export class LostCount extends Error {
  constructor(network: string) {
    super(`The engine keeps the empty network ${network} until it restarts: it lost count of what was attached to it`)
    this.name = 'LostCount'
  }
}

async function removeNetwork(docker: Docker, id: string): Promise<void> {
  const network = docker.getNetwork(id)
  for (let tries = 1; ; tries += 1)
    try {
      return await network.remove()
    } catch (error) {
      const { Name, Containers } = (await network.inspect()) as Docker.NetworkInspectInfo
      const attached = Object.values(Containers ?? {})
      // An engine that was killed can keep what attached a container which is gone.
      for (const container of attached)
        await network.disconnect({ Container: container.Name, Force: true }).catch(() => {})
      if (tries < TRIES) await pause(PAUSE_MS)
      else throw attached.length === 0 ? new LostCount(Name) : error
    }
}

/** Removing a container takes its anonymous volumes along, and another reset may run: what is gone is removed. */
async function removeOnce(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error
  }
}

export const KINDS = ['container', 'image', 'network', 'volume'] as const

export interface Leftover {
  kind: (typeof KINDS)[number]
  name: string
  installationId: string
  /** Resolves too when it is gone already. Throws LostCount for an empty network that the engine keeps. */
  remove(): Promise<void>
}

/** What the engine has with these labels. */
export async function leftovers(docker: Docker, filters: { label: string[] }): Promise<Leftover[]> {
  const [containers, images, networks, { Volumes: volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listImages({ filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ])
  const found = (kind: Leftover['kind'], name: string, labels: object | undefined, remove: () => Promise<unknown>) => {
    const { 'berth.installation': installationId = '' } = (labels ?? {}) as Record<string, string>
    return { kind, name, installationId, remove: () => removeOnce(remove) }
  }
  return [
    ...containers.map(({ Id, Names, Labels }) =>
      found('container', Names[0] ?? Id, Labels, () => docker.getContainer(Id).remove({ force: true, v: true })),
    ),
    ...images.map(({ Id, RepoTags, Labels }) =>
      found('image', RepoTags?.[0] ?? Id, Labels, () => docker.getImage(Id).remove({ force: true })),
    ),
    ...networks.map(({ Id, Name, Labels }) => found('network', Name, Labels, () => removeNetwork(docker, Id))),
    ...(volumes ?? []).map(({ Name, Labels }) => found('volume', Name, Labels, () => docker.getVolume(Name).remove())),
  ]
}
