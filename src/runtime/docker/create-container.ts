import type { Container, ContainerCreateOptions } from 'dockerode'
import type { DockerEngine } from '../../engine/docker/connection.ts'

export function createContainer(
  { docker }: DockerEngine,
  { name, ...body }: ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Container> {
  // dockerode would repeat every option in the URL, which engines log: environment variables are secrets.
  const request = { _query: name === undefined ? {} : { name }, _body: body, abortSignal: signal }
  return docker.createContainer(request)
}
