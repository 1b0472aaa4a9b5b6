import type { AppEnvStatus } from './app-env.ts'

export type OperationStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'

/** An operation is open until it has ended; an environment has at most one that is open. */
export const OPEN_STATUSES = ['QUEUED', 'RUNNING'] as const satisfies OperationStatus[]

export const isOpen = (status: OperationStatus): boolean => status === 'QUEUED' || status === 'RUNNING'

/** One checkpoint. A successor of a killed worker repeats only steps that have no `finishedAt`. */
export interface OperationStep {
  name: string
  startedAt: string
  finishedAt: string | null
  /** What a person wants to know about it: the digest, the reason why it is not ready yet. */
  detail: string | null
}

/** Where an environment stands once an operation that did not succeed is over. */
export const statusAfter = (previous: AppEnvStatus, hasCurrentContent: boolean): AppEnvStatus => {
  if (!hasCurrentContent) return 'PENDING'
  return previous === 'STOPPED' ? 'STOPPED' : 'RUNNING'
}
