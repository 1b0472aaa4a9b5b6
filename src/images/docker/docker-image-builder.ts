import type { DockerEngine } from '../../engine/docker/connection.ts'
import { within } from '../../engine/docker/within.ts'
import type { ImageBuilder } from '../image-builder.ts'
import { type BuilderChoice, builderTraits, buildImage } from './build.ts'
import { clearBuilds, listBuildSteps, listBuilt, removeBuildStep, removeBuilt } from './built-images.ts'
import { pushImage } from './push.ts'
import { ImageResolver, type PullLimits } from './resolve-image.ts'

interface DockerImageBuilderOptions extends PullLimits {
  /** Default: `auto`, the one that the engine prefers. */
  builder?: BuilderChoice
}

/** The image builder on one Docker Engine. */
export function createDockerImageBuilder(
  engine: DockerEngine,
  { builder: choice = 'auto', ...limits }: DockerImageBuilderOptions = {},
): ImageBuilder {
  const resolver = new ImageResolver(engine, limits)
  return {
    resolveImage: (image, credential, options) => resolver.resolve(image, credential, options),
    traits: (bounds) => within(engine, bounds, (signal) => builderTraits(engine, choice, signal)),
    build: (build, bounds) => within(engine, bounds, (signal) => buildImage({ engine, choice }, build, signal)),
    pushImage: (push, bounds) => within(engine, bounds, (signal) => pushImage(engine, push, signal)),
    builtImages: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuilt(engine, filter, signal)),
    removeImage: (id, bounds) => within(engine, bounds, (signal) => removeBuilt(engine, id, signal)),
    buildSteps: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuildSteps(engine, filter, signal)),
    removeBuildStep: (id, bounds) => within(engine, bounds, (signal) => removeBuildStep(engine, id, signal)),
    clearBuilds: (reference, bounds) => within(engine, bounds, (signal) => clearBuilds(engine, reference, signal)),
  }
}
