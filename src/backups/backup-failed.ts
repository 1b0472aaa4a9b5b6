import { Failure } from '../domain/failure.ts'

type BackupFailureReason = 'BACKUP_DAMAGED' | 'BACKUP_MISSING' | 'STORAGE_UNREACHABLE' | 'STORAGE_REFUSED'

/** A backup cannot be written or read. The message says which part of it, or of its storage, is at fault. */
export class BackupFailed extends Failure<BackupFailureReason> {
  protected override get passing(): readonly BackupFailureReason[] {
    return ['STORAGE_UNREACHABLE']
  }
}
