import type { Built, ImageBuild, ImageBuilder } from '../../images/image-builder.ts'
import type { DockerEngine } from '../connection.ts'
import { within } from '../within.ts'
import { builderTraits, buildInEngine } from './build.ts'
import { clearBuilds, listBuildSteps, listBuilt, measureImage, removeBuildStep, removeBuilt } from './built-images.ts'
import { type BuilderChoice, BuilderChooser } from './choose-builder.ts'
import { listHeld, removePulled } from './held-images.ts'
import { type BuilderSettings, type ProvideImage, removeBuilder } from './own-builder/builder-container.ts'
import { buildInOwnBuilder } from './own-builder/own-build.ts'
import { pushImage } from './push.ts'
import { ImageResolver, type PullLimits } from './resolve-image.ts'

interface BuilderOptions {
  /** Default: `auto`. */
  builder?: BuilderChoice
  /** How builders of accounts are made. Without it there are none. */
  ownBuilder?: BuilderSettings | undefined
  /** The control group under which the engine's own builder runs steps; the engine's when omitted. */
  buildCgroupParent?: string | undefined
}

type DockerImageBuilderOptions = PullLimits & BuilderOptions

/** The image builder on one Docker Engine. */
export function createDockerImageBuilder(
  engine: DockerEngine,
  { builder = 'auto', buildCgroupParent, ownBuilder, ...limits }: DockerImageBuilderOptions = {},
): ImageBuilder {
  const resolver = new ImageResolver(engine, limits)
  const provideImage: ProvideImage = async (image, { onLine, signal }) => {
    onLine(`Pulling the builder ${image}`)
    await resolver.resolve(image, null, { signal, mayUseCopy: async () => true })
  }
  const chooser = new BuilderChooser({ engine, choice: builder, image: ownBuilder?.image ?? null, provideImage })
  const own = ownBuilder && { engine, settings: ownBuilder, provideImage }
  const build = async (wanted: ImageBuild, signal: AbortSignal): Promise<Built> => {
    if (own && wanted.bases) return buildInOwnBuilder(own, wanted, signal)
    const { kind } = await chooser.choose({ signal })
    const isBuildKit = kind === 'buildkit'
    return { imageId: await buildInEngine({ engine, isBuildKit, buildCgroupParent }, wanted, signal), used: null }
  }
  return {
    resolveImage: (image, credential, options) => resolver.resolve(image, credential, options),
    traits: ({ onLine, ...bounds } = {}) =>
      within(engine, bounds, async (signal) => builderTraits(engine, await chooser.choose({ signal, onLine }))),
    build: (wanted, bounds) => within(engine, bounds, (signal) => build(wanted, signal)),
    pushImage: (push, bounds) => within(engine, bounds, (signal) => pushImage(engine, push, signal)),
    builtImages: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuilt(engine, filter, signal)),
    imageSize: (id, bounds) => within(engine, bounds, (signal) => measureImage(engine, id, signal)),
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
