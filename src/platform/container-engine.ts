import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { connect } from '../engines/docker/connection.ts'
import { createDockerImageBuilder } from '../engines/docker/images/docker-image-builder.ts'
import { createDockerRuntime } from '../engines/docker/runtime/docker-runtime.ts'
import type { ImageBuilder } from '../engines/images/image-builder.ts'
import type { ContainerRuntime } from '../engines/runtime/container-runtime.ts'
import type { OpenedEngine, RegionEngineAddress } from '../worker/region-engines.ts'

/** What runs containers, and what builds the images that they run. */
export interface ContainerEngine {
  runtime: ContainerRuntime
  imageBuilder: ImageBuilder
}

/**
 * The only place that chooses the adapters: another one is a folder beside `docker/`, and its line here. Opens the
 * engine of the installation, or of a region that has one to itself.
 */
export function openContainerEngine(
  config: Config,
  installationId: string,
  region?: RegionEngineAddress,
): OpenedEngine {
  const engine = connect({
    ...(config.DOCKER_HOST ? { dockerHost: config.DOCKER_HOST } : {}),
    ...(region ? { region: { ...region, keysFolder: join(keysFolder(config), region.regionCode) } } : {}),
    installationId,
    callTimeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS,
  })
  const { BERTH_CONTAINER_PROCESSES: processes, BERTH_JOB_NETWORKS: networkHolders } = config
  const { BERTH_FUNCTION_NETWORKS: replicaNetworks } = config
  const reach = region?.reachAddress ? { publishedOn: region.reachAddress } : config.BERTH_REACH
  return {
    runtime: createDockerRuntime(engine, {
      reach,
      processes,
      networkHolders,
      replicaNetworks,
      engineRestarts: config.BERTH_ENGINE_RESTARTS === 'on',
    }),
    imageBuilder: createDockerImageBuilder(engine, {
      builder: config.BERTH_BUILDER,
      ownBuilder: {
        image: config.BERTH_BUILDER_IMAGE,
        cacheMb: config.BERTH_BUILDER_CACHE_MB,
        idleSeconds: config.BERTH_BUILDER_IDLE_SECONDS,
      },
      buildCgroupParent: config.BERTH_BUILD_CGROUP_PARENT,
      pullTimeoutSeconds: config.BERTH_PULL_TIMEOUT_SECONDS,
    }),
    close: () => engine.close(),
  }
}

const keysFolder = ({ BERTH_ENGINE_KEYS, BERTH_DATA_DIR }: Config): string =>
  BERTH_ENGINE_KEYS ?? join(BERTH_DATA_DIR, 'engine-keys')
