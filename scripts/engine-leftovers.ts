import type Docker from 'dockerode'

/** An engine that was killed can keep what attached a container which is gone. */
async function removeNetwork(docker: Docker, id: string): Promise<void> {
  const network = docker.getNetwork(id)
  try {
    await network.remove()
  } catch {
    const { Containers } = (await network.inspect()) as Docker.NetworkInspectInfo
    for (const { Name } of Object.values(Containers ?? {}))
      await network.disconnect({ Container: Name, Force: true }).catch(() => {})
    await network.remove()
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
  /** Resolves too when it is gone already. */
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
