import { Failure } from './failure.ts'

export const BUILD_FAILURE_REASONS = [
  'SOURCE_NOT_CONFIGURED',
  'SOURCE_UNREACHABLE',
  'SOURCE_NOT_FOUND',
  'SOURCE_REFUSED',
  'SOURCE_TOO_LARGE',
  'SOURCE_TIMEOUT',
  'SOURCE_LIMIT_EXCEEDED',
  'DOCKERFILE_NOT_FOUND',
  'DOCKERFILE_INVALID',
  'PRESET_NOT_APPLICABLE',
  'BUILD_ARGS_INVALID',
  'BUILDER_NOT_AVAILABLE',
  'BUILD_FAILED',
  'BUILD_TIMEOUT',
  'IMAGE_TOO_LARGE',
] as const

export type BuildFailureReason = (typeof BUILD_FAILURE_REASONS)[number]

/** A source that cannot be fetched, or that cannot be built into an image. */
export class BuildFailure extends Failure<BuildFailureReason> {
  /** A git host or token service that does not answer may answer a moment later. */
  protected override get passing(): readonly BuildFailureReason[] {
    return ['SOURCE_UNREACHABLE']
  }
}
