import Docker from 'dockerode'
import { createDockerRuntime } from '../../src/runtime/docker/docker-runtime.ts'
import type { RuntimeHarness } from '../contracts/runtime.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'

const docker = new Docker()

/** The machine's own engine, and the hands of its operator. */
export const dockerHarness: RuntimeHarness = {
  socketPath: '/var/run/docker.sock',
  ensureImage: () => ensureTestImage(docker),
  createRuntime: ({ host, ...options }) => createDockerRuntime({ dockerHost: host, ...options }),
  byHand: {
    kill: (containerId) => docker.getContainer(containerId).kill(),
    stop: (containerId) => docker.getContainer(containerId).stop({ t: 1 }),
    remove: (containerId) => docker.getContainer(containerId).remove({ force: true }),
  },
  removeContainers,
  cleanUp: (installationId) => removeEverything(docker, installationId),
}

const ownedBy = (installationId: string) => ({ label: [`berth.installation=${installationId}`] })

async function removeContainers(installationId: string): Promise<void> {
  const containers = await docker.listContainers({ all: true, filters: ownedBy(installationId) })
  await Promise.allSettled(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
}
