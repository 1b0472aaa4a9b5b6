export type BuildFailureReason =
  | 'SOURCE_NOT_CONFIGURED'
  | 'SOURCE_UNREACHABLE'
  | 'SOURCE_NOT_FOUND'
  | 'SOURCE_REFUSED'
  | 'SOURCE_TOO_LARGE'
  | 'SOURCE_TIMEOUT'
  | 'DOCKERFILE_NOT_FOUND'
  | 'DOCKERFILE_INVALID'
  | 'PRESET_NOT_APPLICABLE'
  | 'BUILD_ARGS_INVALID'
  | 'BUILDER_NOT_AVAILABLE'
  | 'BUILD_FAILED'
  | 'BUILD_TIMEOUT'
  | 'IMAGE_TOO_LARGE'

/** A git host or a token service that does not answer may do so a moment later. */
const PASSING: readonly BuildFailureReason[] = ['SOURCE_UNREACHABLE']

/** A source that cannot be had, or of which no image can be made. The message is for the user. */
export class BuildFailure extends Error {
  readonly reason: BuildFailureReason

  constructor(reason: BuildFailureReason, message: string) {
    super(message)
    this.name = 'BuildFailure'
    this.reason = reason
  }

  /** Whether repeating would not help: the answer is about this source, not about this moment. */
  get isFinal(): boolean {
    return !PASSING.includes(this.reason)
  }
}
