import type { DockerEngine } from '../../engine/docker/connection.ts'
import { within } from '../../engine/docker/within.ts'
import type { ImageBuilder } from '../image-builder.ts'
import { type BuildOptions, builderTraits, buildImage } from './build.ts'
import { clearBuilds, listBuildSteps, listBuilt, removeBuildStep, removeBuilt } from './built-images.ts'
import { listHeld, removePulled } from './held-images.ts'
import { type BuilderSettings, removeBuilder } from './own-builder/builder-container.ts'
import { buildInOwnBuilder } from './own-builder/own-build.ts'
import { pushImage } from './push.ts'
import { ImageResolver, type PullLimits } from './resolve-image.ts'

type DockerImageBuilderOptions = PullLimits & BuildOptions & { ownBuilder?: BuilderSettings | undefined }

/** The image builder on one Docker Engine. */
export function createDockerImageBuilder(
  engine: DockerEngine,
  { builder = 'auto', buildCgroupParent, ownBuilder, ...limits }: DockerImageBuilderOptions = {},
): ImageBuilder {
  const resolver = new ImageResolver(engine, limits)
  const provideImage = async (image: string, signal: AbortSignal) => {
    await resolver.resolve(image, null, { signal, mayUseCopy: async () => true })
  }
  const own = builder === 'own' && ownBuilder ? { engine, settings: ownBuilder, provideImage } : null
  return {
    resolveImage: (image, credential, options) => resolver.resolve(image, credential, options),
    traits: (bounds) => within(engine, bounds, (signal) => builderTraits(engine, builder, signal)),
    build: (build, bounds) =>
      within(engine, bounds, (signal) =>
        own ? buildInOwnBuilder(own, build, signal) : buildImage({ engine, builder, buildCgroupParent }, build, signal),
      ),
    pushImage: (push, bounds) => within(engine, bounds, (signal) => pushImage(engine, push, signal)),
    builtImages: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuilt(engine, filter, signal)),
    removeImage: (id, bounds) => within(engine, bounds, (signal) => removeBuilt(engine, id, signal)),
    heldImages: (bounds) => within(engine, bounds, (signal) => listHeld(engine, signal)),
    removePulled: (id, bounds) => within(engine, bounds, (signal) => removePulled(engine, id, signal)),
    buildSteps: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuildSteps(engine, filter, signal)),
    removeBuildStep: (id, bounds) => within(engine, bounds, (signal) => removeBuildStep(engine, id, signal)),
    clearBuilds: (reference, bounds) => within(engine, bounds, (signal) => clearBuilds(engine, reference, signal)),
    // Whatever builds now: the account may have had one before.
    removeBuilder: (accountId, bounds) =>
      within(engine, bounds, (signal) => removeBuilder(engine, accountId, { keepsCache: false }, signal)),
  }
}
