import { Failure } from '../../domain/failure.ts'

type BackupFailureReason =
  | 'BACKUP_FAILED'
  | 'BACKUP_BUDGET'
  | 'BACKUP_DAMAGED'
  | 'BACKUP_MISSING'
  | 'RESTORE_FAILED'
  | 'VERIFY_FAILED'
  | 'STORAGE_UNREACHABLE'
  | 'STORAGE_REFUSED'

/** A backup cannot be written, read or used. The message says which part of it, or of its storage, is at fault. */
export class BackupFailed extends Failure<BackupFailureReason> {
  protected override get passing(): readonly BackupFailureReason[] {
    return ['STORAGE_UNREACHABLE']
  }
}
