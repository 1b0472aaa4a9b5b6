import { type BuildPlan, recordedPlan, withoutValues } from '../../domain/build-plan.ts'
import type { Configuration } from '../../domain/configuration.ts'
import { type GitCommit, recordedCommit } from '../../domain/git-commit.ts'
import { type PromotedFrom, recordedPromotion } from '../../domain/promoted-from.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** A version to create. */
export interface NewContent {
  image: string
  /** Set when it repeats a version whose image is already pinned. */
  imageDigest: string | null
  fromContentId: string | null
  /** The version of another environment whose image it runs. */
  promotedFrom?: PromotedFrom | null
  configuration: Configuration
  /** Null for a prebuilt image. */
  build: {
    plan: BuildPlan
    key: string | null
    branch: string | null
    commit: string | null
    /** What the commit says of itself, where that is known already. */
    about?: GitCommit | null
  } | null
}

export const imageContent = (image: string, configuration: Configuration): NewContent => {
  return { image, imageDigest: null, fromContentId: null, configuration, build: null }
}

/** A version that is built from source first. Its image has a name once it is built. */
export function builtContent(
  appEnv: LoadedAppEnv,
  plan: BuildPlan,
  configuration: Configuration,
  fromContentId: string | null = null,
): NewContent {
  const branch = plan.source.kind === 'git' ? plan.source.branch : null
  const commit = plan.source.kind === 'git' ? plan.source.commit : null
  const image = `${appEnv.cliEnvName}:${appEnv.lastVersion + 1}`
  return { image, imageDigest: null, fromContentId, configuration, build: { plan, key: null, branch, commit } }
}

/** The image of an earlier version, built or pulled, with another configuration. */
export function repeatedContent(earlier: Content, configuration: Configuration): NewContent {
  const { image, imageDigest, id, buildKey, gitBranch, gitCommitId } = earlier
  const plan = recordedPlan(earlier)
  return {
    image,
    imageDigest,
    fromContentId: id,
    promotedFrom: recordedPromotion(earlier),
    configuration,
    build: plan
      ? { plan, key: buildKey, branch: gitBranch, commit: gitCommitId, about: recordedCommit(earlier) }
      : null,
  }
}

/**
 * The image of a version of another environment, pinned as it is there. It repeats no version of its own environment, whose release
 * command has yet to run. What the other one's variables were is the business of its readers alone.
 */
export function promotedContent(from: Content, configuration: Configuration, promotedFrom: PromotedFrom): NewContent {
  const { build, ...image } = repeatedContent(from, configuration)
  const kept = build && { ...build, plan: withoutValues(build.plan) }
  return { ...image, fromContentId: null, promotedFrom, build: kept }
}
