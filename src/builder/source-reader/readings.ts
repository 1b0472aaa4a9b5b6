import { mkdir } from 'node:fs/promises'
import { relative } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DockerfileRequest } from '../../app-types/presets/preset.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import type { ContextOptions } from '../context/build-context.ts'
import type { FoundImage } from '../dockerfile/base-images.ts'
import type { SourceLimits } from '../limits.ts'

interface Writing extends Pick<DockerfileRequest, 'buildVariables' | 'cacheScope'> {
  plan: Pick<BuildPlan, 'dockerfileContent' | 'dockerfilePath' | 'preset' | 'presetVersion'>
  tree: string
  context: string
}

interface ForBuilder {
  text: string
  buildArgs: Readonly<Record<string, string>>
  /** Null: the last stage. */
  target: string | null
}

interface Naming {
  text: string
  buildArgs: Readonly<Record<string, string>>
  /** For a builder without BuildKit. */
  isClassic: boolean
}

interface Pinning {
  text: string
  buildArgs: Readonly<Record<string, string>>
  found: Readonly<Record<string, FoundImage>>
  /** For every stage. */
  labels: Readonly<Record<string, string>>
}

interface Packing {
  /** Null for a Dockerfile that needs no files. */
  context: string | null
  dockerfile: string
  options: ContextOptions
}

/**
 * Everything that a build reads of what tenants wrote. A process loads only the modules of the readings that it is asked
 * for. Each throws BuildFailure.
 */
export const readings = {
  /** Unpacks an uploaded archive into a new folder. Returns what it holds that cannot be written. */
  async unpack({ archive, tree, limits }: { archive: string; tree: string; limits: SourceLimits }) {
    const { extractArchive } = await import('../archive/extract.ts')
    await mkdir(tree)
    return extractArchive(archive, tree, limits, new AbortController().signal)
  },

  /** Checks the list of a commit's files, which git wrote to a file, and returns what it comes to. */
  async checkListing({ file, limits }: { file: string; limits: SourceLimits }) {
    const { checkListing } = await import('../tree/listed-tree.ts')
    return checkListing(file, limits)
  },

  /** The addresses of submodules, from what git has printed of their settings. */
  async submodules({ text, paths }: { text: string; paths: readonly string[] }) {
    const { submoduleAddresses } = await import('../tree/listed-tree.ts')
    return submoduleAddresses(text, paths)
  },

  /** For a program that follows links: whether all of them stay in the source. */
  async checkLinks({ tree }: { tree: string }) {
    const { assertTreeLinksLeadInside } = await import('../tree/tree-links.ts')
    await assertTreeLinksLeadInside(tree)
    return null
  },

  /** The folder that is built, as a path below the source's folder that leads through no link. */
  async findContext({ tree, contextDir }: { tree: string; contextDir: string }) {
    const { contextFolder } = await import('../dockerfile/dockerfile.ts')
    const { realpath } = await import('node:fs/promises')
    return relative(await realpath(tree), await contextFolder(tree, contextDir))
  },

  /** What the source looks like, before there is an app of it. */
  async inspect({ tree, contextDir }: { tree: string; contextDir: string }) {
    const { inspectTree } = await import('../inspect-tree.ts')
    return inspectTree(tree, contextDir)
  },

  /** The Dockerfile that the plan names, or that its preset writes. */
  async writeDockerfile({ plan, tree, context, ...writing }: Writing) {
    const { dockerfileFor } = await import('../dockerfile/dockerfile.ts')
    return dockerfileFor(plan, tree, context, writing)
  },

  /** Those of the variables that the Dockerfile would put into the image's history. */
  async exposedVariables({ text, names, target }: { text: string; names: readonly string[]; target?: string | null }) {
    const { exposedVariables } = await import('../dockerfile/exposed-variables.ts')
    return exposedVariables(text, names, target)
  },

  /** Those of the variables that the Dockerfile declares as arguments. */
  async declaredVariables({ text, names }: { text: string; names: readonly string[] }) {
    const { declaredVariables } = await import('../dockerfile/build-secrets.ts')
    return declaredVariables(text, names)
  },

  /** The Dockerfile, written here, with these variables as mounts instead of arguments. */
  async mountSecrets({ text, names }: { text: string; names: readonly string[] }) {
    const { mountSecrets } = await import('../dockerfile/build-secrets.ts')
    return mountSecrets(text, names)
  },

  /** The variables of the plan that nixpacks printed. */
  async nixpacksPlan({ text }: { text: string }) {
    const { readNixpacksPlan } = await import('../nixpacks-plan.ts')
    return readNixpacksPlan(text)
  },

  /** The Dockerfile that nixpacks wrote, with these variables declared where they are needed. */
  async nixpacksDockerfile({ context, names }: { context: string; names: readonly string[] }) {
    const { takeNixpacksDockerfile } = await import('../nixpacks-plan.ts')
    return takeNixpacksDockerfile(context, names)
  },

  /** The Dockerfile for a builder that reads it itself, and the images that it is to be given. */
  async forBuilder({ text, buildArgs, target }: ForBuilder) {
    const { forBuilder } = await import('../dockerfile/needed-images.ts')
    return forBuilder(text, buildArgs, target)
  },

  /** The images that the Dockerfile reads. */
  async namedImages({ text, buildArgs, isClassic }: Naming) {
    const { namedImages } = await import('../dockerfile/base-images.ts')
    const { assertKnownToClassicBuilder, readDockerfile } = await import('../dockerfile/dockerfile-instructions.ts')
    if (isClassic) assertKnownToClassicBuilder(readDockerfile(text))
    return namedImages(text, buildArgs)
  },

  /** The Dockerfile with those images named in full, and with labels on its stages. */
  async pinImages({ text, buildArgs, found, labels }: Pinning) {
    const { pinnedDockerfile } = await import('../dockerfile/base-images.ts')
    const { labelStages } = await import('../dockerfile/dockerfile-labels.ts')
    return labelStages(await pinnedDockerfile(text, buildArgs, found), labels)
  },

  /** Writes the build context to the stream as a tar archive. */
  async pack({ context, dockerfile, options }: Packing, output: () => Writable) {
    const { packContext } = await import('../context/build-context.ts')
    await pipeline(packContext(context, dockerfile, options), output())
    return null
  },
} satisfies Record<string, (input: never, output: () => Writable) => Promise<unknown>>

export type Readings = typeof readings
export type ReadingName = keyof Readings
export type InputOf<Name extends ReadingName> = Parameters<Readings[Name]>[0]
