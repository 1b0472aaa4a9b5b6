import type { FailureReason } from './failure-reasons.ts'

/**
 * Why a version could not be deployed. The reason is a code, and the message is for the user; both are recorded with
 * the operation and the version.
 */
export abstract class Failure<Reason extends FailureReason = FailureReason> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.name = new.target.name
    this.reason = reason
  }

  /** Reasons that may have gone by a later attempt. */
  protected get passing(): readonly Reason[] {
    return []
  }

  /** Whether a retry would not help: the cause is this version, not a temporary condition. */
  get isFinal(): boolean {
    return !this.passing.includes(this.reason)
  }
}
