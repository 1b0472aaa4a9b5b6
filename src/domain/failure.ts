/**
 * Why a version could not be brought about. The reason is a code, and the message is for the user; both are recorded with
 * the operation and the version.
 */
export abstract class Failure<Reason extends string = string> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.name = new.target.name
    this.reason = reason
  }

  /** Reasons that a later attempt may not meet. */
  protected get passing(): readonly Reason[] {
    return []
  }

  /** Whether repeating would not help: it is about this version, not about this moment. */
  get isFinal(): boolean {
    return !this.passing.includes(this.reason)
  }
}
