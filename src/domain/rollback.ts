import type { ReasonOf } from './reasons.ts'

export interface RollbackTarget {
  id: string
  deployedAt: Date | null
  imageDigest: string | null
  volumeDeleted: boolean
  /** Why the version cannot run on the data that is there; null if it can. */
  dataProblem: string | null
}

export interface Refusal {
  reason: ReasonOf<'CONFLICT'>
  message: string
}

/** Why a version cannot be rolled back to, or null. Every record shows it, and the same rule decides the call. */
export function refuseRollback(target: RollbackTarget, currentContentId: string | null): Refusal | null {
  if (target.id === currentContentId)
    return { reason: 'ALREADY_CURRENT', message: 'That version is the one deployed now' }
  if (!target.deployedAt) return { reason: 'NEVER_DEPLOYED', message: 'That version was never deployed successfully' }
  if (!target.imageDigest) return { reason: 'IMAGE_REMOVED', message: 'The image of that version is no longer kept' }
  if (target.volumeDeleted)
    return { reason: 'VOLUME_DELETED', message: 'The volume that the version kept its data in has been deleted' }
  if (target.dataProblem !== null) return { reason: 'UPGRADE_NOT_IN_PLACE', message: target.dataProblem }
  return null
}
