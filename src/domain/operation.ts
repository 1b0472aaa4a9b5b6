import type { AppEnvStatus } from './app-env.ts'

export type OperationStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'

/** An operation is open until it has ended; an environment has at most one open operation. */
export const OPEN_STATUSES = ['QUEUED', 'RUNNING'] as const satisfies OperationStatus[]

export const isOpen = (status: OperationStatus): boolean => status === 'QUEUED' || status === 'RUNNING'

/** One checkpoint. The worker that takes over from a killed one repeats only steps without `finishedAt`. */
export interface OperationStep {
  name: string
  startedAt: string
  finishedAt: string | null
  /** Information for people: the digest, or the reason why it is not ready yet. */
  detail: string | null
}

/** The environment's status after an operation that did not succeed. */
export const statusAfter = (previous: AppEnvStatus, hasCurrentContent: boolean): AppEnvStatus => {
  if (!hasCurrentContent) return 'PENDING'
  return previous === 'STOPPED' ? 'STOPPED' : 'RUNNING'
}
