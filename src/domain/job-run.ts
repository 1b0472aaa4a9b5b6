import { backoff } from './backoff.ts'
import type { SealedVariable } from './configuration.ts'
import { type AttemptEnd, reasonOfEnd } from './job-attempt.ts'

export type JobRunStatus = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED'

/** Runs that may still change. */
export const OPEN_RUNS = ['QUEUED', 'RUNNING'] as const

export const hasRunEnded = (status: JobRunStatus): boolean => status !== 'QUEUED' && status !== 'RUNNING'

/** What a run executes; null keeps the image's own. */
export interface RunCommand {
  command: string | null
  args: string[]
  /** True: `/bin/sh -lc command`, args appended. */
  shell: boolean
  workingDir: string | null
}

export type ConcurrencyPolicy = 'QUEUE' | 'REJECT' | 'REPLACE'

/** What the runs of an environment are like unless they say otherwise. */
export interface RunSettings extends RunCommand {
  timeoutSeconds: number
  ttlSecondsAfterFinished: number
  backoffLimit: number
  maxConcurrency: number
  concurrencyPolicy: ConcurrencyPolicy
}

/** What a run was asked to be, whatever is configured later. Its other variables are those of its version. */
export interface RunSnapshot extends RunSettings {
  envVars: SealedVariable[]
}

const RETRY_SECONDS = { first: 1, max: 300 }

/** What follows an attempt. */
export type Sequel =
  | { kind: 'END'; status: JobRunStatus; reason: string | null }
  /** Another attempt, after a pause. */
  | { kind: 'RETRY'; afterSeconds: number }

interface Tried {
  /** Attempts so far, the one that has ended included. */
  attempts: number
  backoffLimit: number
  secondsToDeadline: number
  /** Set when the run is to be cancelled. */
  cancelReason: string | null
}

/** What becomes of a run whose attempt has ended so. A timeout is the run's, and so is never tried again. */
export function afterAttempt(end: AttemptEnd, run: Tried): Sequel {
  const reason = reasonOfEnd(end)
  if (reason === null) return { kind: 'END', status: 'SUCCEEDED', reason: null }
  if (reason === 'TIMED_OUT') return { kind: 'END', status: 'TIMED_OUT', reason }
  if (run.cancelReason) return { kind: 'END', status: 'CANCELLED', reason: run.cancelReason }
  const afterSeconds = backoff(RETRY_SECONDS, run.attempts - 1)
  if (run.attempts > run.backoffLimit || afterSeconds >= run.secondsToDeadline)
    return { kind: 'END', status: 'FAILED', reason }
  return { kind: 'RETRY', afterSeconds }
}

/** How a new run is handled while these others are open, oldest first. */
export type Admission = { kind: 'QUEUE' } | { kind: 'REJECT' } | { kind: 'REPLACE'; ids: string[] }

/** The policy of a run beyond the limit. REPLACE ends as many of the oldest as are too many. */
export function admissionOf(
  { concurrencyPolicy, maxConcurrency }: Pick<RunSettings, 'concurrencyPolicy' | 'maxConcurrency'>,
  openIds: readonly string[],
): Admission {
  const surplus = openIds.length + 1 - maxConcurrency
  if (surplus <= 0 || concurrencyPolicy === 'QUEUE') return { kind: 'QUEUE' }
  return concurrencyPolicy === 'REJECT' ? { kind: 'REJECT' } : { kind: 'REPLACE', ids: openIds.slice(0, surplus) }
}
