type VersionFailureReason =
  | 'READINESS_TIMEOUT'
  | 'STARTUP_FAILED'
  | 'CONTAINER_EXITED'
  | 'OUT_OF_MEMORY'
  | 'CREDENTIAL_MISSING'
  | 'REFERENCE_UNRESOLVED'
  | 'VOLUME_DELETED'

/** The version itself is at fault: trying again would not help. The message is for the user. */
export class VersionFailed extends Error {
  override readonly name = 'VersionFailed'
  readonly reason: VersionFailureReason

  constructor(reason: VersionFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}
