import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { ClaimedAppEnv, ClaimedOperation, EnvironmentContext } from '../context/environment-context.ts'
import type { Deadline } from '../time/deadline.ts'
import type { Steps } from './steps.ts'

/** One attempt at one operation. */
export interface AttemptContext extends EnvironmentContext {
  appEnv: ClaimedAppEnv
  operation: ClaimedOperation
  steps: Steps
  deadline: Deadline
  /** Scales the version that serves for its requests, while the operation is under way. */
  scaleByRequests(signal: AbortSignal): Promise<unknown>
}

/** An attempt that deploys a version, or brings one back. */
export interface VersionAttemptContext extends AttemptContext {
  content: Content
}

/**
 * Runs one kind of operation, resuming after the last finished step. Ends the operation, or throws why it could not.
 */
export type OperationHandler = (attempt: AttemptContext) => Promise<void>
