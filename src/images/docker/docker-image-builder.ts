import type { DockerEngine } from '../../engine/docker/connection.ts'
import { within } from '../../engine/docker/within.ts'
import type { ImageBuilder } from '../image-builder.ts'
import { type BuildOptions, builderTraits, buildImage } from './build.ts'
import { clearBuilds, listBuildSteps, listBuilt, removeBuildStep, removeBuilt } from './built-images.ts'
import { listHeld, removePulled } from './held-images.ts'
import { pushImage } from './push.ts'
import { ImageResolver, type PullLimits } from './resolve-image.ts'

type DockerImageBuilderOptions = PullLimits & BuildOptions

/** The image builder on one Docker Engine. */
export function createDockerImageBuilder(
  engine: DockerEngine,
  { builder = 'auto', buildCgroupParent, ...limits }: DockerImageBuilderOptions = {},
): ImageBuilder {
  const resolver = new ImageResolver(engine, limits)
  return {
    resolveImage: (image, credential, options) => resolver.resolve(image, credential, options),
    traits: (bounds) => within(engine, bounds, (signal) => builderTraits(engine, builder, signal)),
    build: (build, bounds) =>
      within(engine, bounds, (signal) => buildImage({ engine, builder, buildCgroupParent }, build, signal)),
    pushImage: (push, bounds) => within(engine, bounds, (signal) => pushImage(engine, push, signal)),
    builtImages: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuilt(engine, filter, signal)),
    removeImage: (id, bounds) => within(engine, bounds, (signal) => removeBuilt(engine, id, signal)),
    heldImages: (bounds) => within(engine, bounds, (signal) => listHeld(engine, signal)),
    removePulled: (id, bounds) => within(engine, bounds, (signal) => removePulled(engine, id, signal)),
    buildSteps: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuildSteps(engine, filter, signal)),
    removeBuildStep: (id, bounds) => within(engine, bounds, (signal) => removeBuildStep(engine, id, signal)),
    clearBuilds: (reference, bounds) => within(engine, bounds, (signal) => clearBuilds(engine, reference, signal)),
  }
}
