/** How the container of an attempt ended, as far as it is known. */
export interface AttemptEnd {
  /** Null: unknown, because there is no container. */
  exitCode: number | null
  outOfMemory: boolean
  /** Why Berth ended it; null when the command ended. */
  stopReason: 'TIMEOUT' | 'CANCEL' | null
  /** The engine was away while it ran. */
  engineWasAway: boolean
  /** Why there was no container to end. */
  failure?: 'IMAGE_GONE' | 'START_FAILED' | 'ENGINE_LOST' | 'CONTAINER_REMOVED' | 'INTERNAL'
}

const FIRST_SIGNAL = 128
const LAST_SIGNAL = 64
/** What an engine reports for containers that ended while it was down. */
const UNKNOWN_EXIT = 255
const STOPPED_BY_ENGINE = [UNKNOWN_EXIT, 137, 143]

/** Why an attempt failed; null when it succeeded. */
export function reasonOfEnd(end: AttemptEnd): keyof typeof JOB_RUN_REASONS | null {
  const { exitCode, stopReason, failure } = end
  if (stopReason === 'TIMEOUT') return 'TIMED_OUT'
  if (stopReason === 'CANCEL') return 'CANCELLED'
  if (failure) return failure
  if (exitCode === 0) return null
  if (exitCode === null) return 'ENGINE_LOST'
  if (end.outOfMemory) return 'OUT_OF_MEMORY'
  if (end.engineWasAway && STOPPED_BY_ENGINE.includes(exitCode)) return 'ENGINE_LOST'
  return isSignal(exitCode) ? 'SIGNAL' : 'EXIT_CODE'
}

const isSignal = (exitCode: number) => exitCode > FIRST_SIGNAL && exitCode <= FIRST_SIGNAL + LAST_SIGNAL

/** The number of the signal that ended a process; null when it ended otherwise. */
export const signalOf = (exitCode: number): number | null => (isSignal(exitCode) ? exitCode - FIRST_SIGNAL : null)

/** Every `reason` of a run or an attempt that did not succeed. */
export const JOB_RUN_REASONS = {
  EXIT_CODE: 'The command ended with an exit code other than 0.',
  SIGNAL: 'A signal ended the command.',
  OUT_OF_MEMORY: 'The command used more memory than it has. Give the environment more zClouds.',
  IMAGE_GONE: 'The image of the version is gone, and its registry does not give it again.',
  START_FAILED: 'The engine cannot start the container; the message says why.',
  ENGINE_LOST:
    'The container engine was lost while it started the command or ran it, and how the command ended with it.',
  CONTAINER_REMOVED: 'The container was removed by hand before its exit code was read.',
  TIMED_OUT: 'The run took longer than its timeoutSeconds.',
  CANCELLED: 'Berth ended the command because the run was cancelled.',
  CANCELLED_BY_USER: 'A user cancelled the run.',
  REPLACED: 'A newer run took the place of this one (concurrencyPolicy REPLACE).',
  CONCURRENCY_LIMIT: 'As many runs as allowed were open at the time of the schedule (concurrencyPolicy REJECT).',
  QUEUE_FULL: 'Too many runs were waiting at the time of the schedule.',
  DEPLOYMENT_ENDED: 'The deployment that waited for the release command has ended without it.',
  ENVIRONMENT_STOPPED: 'The environment was stopped.',
  ENVIRONMENT_DELETED: 'The environment was deleted.',
  INTERNAL: 'A fault of Berth. Its details are in the log of the worker.',
} as const
