import { Failure } from '../../domain/failure.ts'

type VersionFailureReason =
  | 'READINESS_TIMEOUT'
  | 'LISTENS_ELSEWHERE'
  | 'STARTUP_FAILED'
  | 'CONTAINER_EXITED'
  | 'OUT_OF_MEMORY'
  | 'RELEASE_FAILED'
  | 'CREDENTIAL_MISSING'
  | 'REFERENCE_UNRESOLVED'
  | 'VOLUME_DELETED'
  | 'PRESET_VERSION_REMOVED'
  | 'UPGRADE_FAILED'
  | 'DATA_OF_ANOTHER_VERSION'
  | 'ROTATION_FAILED'

/** The version itself is at fault: a retry would not help. */
export class VersionFailed extends Failure<VersionFailureReason> {}
