import type Docker from 'dockerode'

/** Removes everything that an installation has left on the engine. */
export async function removeEverything(docker: Docker, installationId: string): Promise<void> {
  const filters = { label: [`berth.installation=${installationId}`] }
  const containers = await docker.listContainers({ all: true, filters })
  const networks = await docker.listNetworks({ filters })
  await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
  const images = await docker.listImages({ filters })
  await Promise.allSettled(images.map(({ Id }) => docker.getImage(Id).remove({ force: true })))
  await Promise.allSettled(networks.map(({ Id }) => docker.getNetwork(Id).remove()))
  const { Volumes: volumes } = await docker.listVolumes({ filters })
  await Promise.allSettled(volumes.map(({ Name }) => docker.getVolume(Name).remove()))
}
