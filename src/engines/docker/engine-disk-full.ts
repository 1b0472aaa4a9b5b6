import { Failure } from '../../domain/failure.ts'

/** The operator can make room, so a later attempt may succeed. */
export class EngineDiskFull extends Failure<'ENGINE_DISK_FULL'> {
  constructor(options?: ErrorOptions) {
    super('ENGINE_DISK_FULL', 'The container engine has no disk space left')
    this.cause = options?.cause
  }

  protected override get passing(): readonly 'ENGINE_DISK_FULL'[] {
    return ['ENGINE_DISK_FULL']
  }
}
