import type { Content } from '../../database/generated/prisma/client.ts'
import type { Work, WorkAppEnv, WorkOperation } from '../claim/environment-context.ts'
import type { Deadline } from './deadline.ts'
import type { Steps } from './steps.ts'

/** One try at one operation. */
export interface Attempt extends Work {
  appEnv: WorkAppEnv
  operation: WorkOperation
  steps: Steps
  deadline: Deadline
}

/** One that brings a version about, or back. */
export interface VersionAttempt extends Attempt {
  content: Content
}

/** Carries out one kind of change, resuming after the last finished step. Ends the operation, or throws why it could not. */
export type Change = (attempt: Attempt) => Promise<void>
