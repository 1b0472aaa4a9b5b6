import { connect, type EngineOptions } from '../../src/engines/docker/connection.ts'
import { createDockerImageBuilder } from '../../src/engines/docker/images/docker-image-builder.ts'
import { createDockerRuntime } from '../../src/engines/docker/runtime/docker-runtime.ts'
import type { ContainerEngine } from '../../src/platform/container-engine.ts'
import { recordInstallation } from './test-installations.ts'

type RuntimeOptions = NonNullable<Parameters<typeof createDockerRuntime>[1]>
type BuilderOptions = NonNullable<Parameters<typeof createDockerImageBuilder>[1]>

/** Both ports on the machine's own engine, or on one at another address. */
export function dockerEngine(options: EngineOptions & RuntimeOptions & BuilderOptions): ContainerEngine {
  recordInstallation(options.installationId)
  const engine = connect(options)
  return { runtime: createDockerRuntime(engine, options), imageBuilder: createDockerImageBuilder(engine, options) }
}
