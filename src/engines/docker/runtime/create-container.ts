import type { Container, ContainerCreateOptions } from 'dockerode'
import type { DockerEngine } from '../connection.ts'

/** Engines whose host allows them no limit above their own. */
const withoutLimits = new WeakSet<DockerEngine>()

/** From now on containers of the engine have its own limits of open files: it may not raise them. But for those that must not be left out. */
export const leaveLimits = (engine: DockerEngine): WeakSet<DockerEngine> => withoutLimits.add(engine)

export function createContainer(
  engine: DockerEngine,
  { name, HostConfig, ...body }: ContainerCreateOptions,
  signal: AbortSignal,
  { areLimitsRequired = false }: { areLimitsRequired?: boolean } = {},
): Promise<Container> {
  const { Ulimits, ...hostConfig } = HostConfig ?? {}
  const limits = Ulimits && (areLimitsRequired || !withoutLimits.has(engine)) ? { Ulimits } : {}
  // dockerode would repeat every option in the URL, which engines log: environment variables are secrets.
  const request = {
    _query: name === undefined ? {} : { name },
    _body: { ...body, HostConfig: { ...hostConfig, ...limits } },
    abortSignal: signal,
  }
  return engine.docker.createContainer(request)
}
