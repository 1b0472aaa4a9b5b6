import type Docker from 'dockerode'

/** An image under another name that declares ports: nothing but its description is new, so nothing is copied. */
export async function addPorts(docker: Docker, from: string, name: string, ports: readonly string[]): Promise<void> {
  const [repo, tag] = name.split(':')
  const container = await docker.createContainer({ Image: from, Cmd: ['none'] })
  try {
    await container.commit({ repo, tag, changes: ports.map((port) => `EXPOSE ${port}`).join('\n') })
  } finally {
    await container.remove()
  }
}
