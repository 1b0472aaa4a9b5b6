import type { Config } from '../config/config.ts'
import { connect } from '../engine/docker/connection.ts'
import { createDockerImageBuilder } from '../images/docker/docker-image-builder.ts'
import type { ImageBuilder } from '../images/image-builder.ts'
import type { ContainerRuntime } from '../runtime/container-runtime.ts'
import { createDockerRuntime } from '../runtime/docker/docker-runtime.ts'

/** What runs containers, and what builds the images that they run. */
export interface ContainerEngine {
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
}

/** The only place that chooses the adapters: another one is a folder beside `docker/`, and its line here. */
export function openContainerEngine(config: Config, installationId: string): ContainerEngine {
  const engine = connect({
    ...(config.DOCKER_HOST ? { dockerHost: config.DOCKER_HOST } : {}),
    installationId,
    callTimeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS,
  })
  return {
    runtime: createDockerRuntime(engine, { reach: config.BERTH_REACH, processes: config.BERTH_CONTAINER_PROCESSES }),
    imageBuilder: createDockerImageBuilder(engine, {
      builder: config.BERTH_BUILDER,
      buildCgroupParent: config.BERTH_BUILD_CGROUP_PARENT,
      pullTimeoutSeconds: config.BERTH_PULL_TIMEOUT_SECONDS,
    }),
  }
}
