import type { AppEnvStatus } from './app-env.ts'
import { isOpen, type OperationStatus } from './operation.ts'

/** What clients branch on: QUEUED and RUNNING both mean that the wait was over first. */
export type WaitedStatus = Exclude<OperationStatus, 'QUEUED'>

/** An operation that a call has waited for, and its environment, at one moment. */
export interface WaitedOperation {
  id: string
  kind: string
  status: OperationStatus
  /** Code and words for why it failed, was cancelled or waits. */
  reason: string | null
  message: string | null
  /** Number of the version that it deploys or starts, if any. */
  version: number | null
  environment: WaitedEnvironment
}

export interface WaitedEnvironment {
  status: AppEnvStatus
  isDeleted: boolean
  /** Number of the current version; null before the first. */
  currentVersion: number | null
  /** False for an app that runs only on demand. */
  isRolledOut: boolean
  /** Whether a container takes traffic. */
  isServing: boolean
}

export const waitedStatus = (status: OperationStatus): WaitedStatus =>
  (isOpen(status) ? 'RUNNING' : status) as WaitedStatus

/** Whether what was asked will not come about. */
export const isLost = (status: WaitedStatus): boolean => status === 'FAILED' || status === 'CANCELLED'

/** The outcome of an operation as text: what it did, or why it failed and which version serves now. */
export function waitedMessage(operation: WaitedOperation): string {
  const { id, status, message } = operation
  // A version whose containers end soon after is deployed all the same.
  if (status === 'SUCCEEDED') return message === null ? success(operation) : `${success(operation)}. ${message}`
  const subject = subjectOf(operation)
  const [cause = '', ...output] = (message ?? '').trimEnd().split('\n')
  if (isOpen(status)) {
    return `${subject} is still in progress, and the wait is over.${soFar(cause)} Read operation ${id} for its outcome.`
  }
  const end =
    status === 'FAILED' ? `${subject} failed${detail(cause)}` : `${subject} was cancelled${cancelled(operation)}`
  const sentences = [sentence(end), serving(operation)].filter((text) => text !== '').join(' ')
  // Lines that a container or a build has printed come last, so that they do not hide what serves.
  return [sentences, ...output].join('\n')
}

/** The operation, so that "failed", "was cancelled" and "is still in progress" may follow. */
function subjectOf({ kind, version }: WaitedOperation): string {
  if (kind === 'STOP') return 'Stopping the environment'
  if (kind === 'DELETE') return 'Removing the containers'
  if (kind === 'START') return `Starting version ${version}`
  if (kind === 'RESTART') return `Restarting version ${version}`
  if (kind === 'ROTATE_CREDENTIALS') return 'Rotating the credentials'
  if (kind === 'BACKUP') return 'The backup'
  if (kind === 'RESTORE') return 'Restoring the backup'
  if (kind === 'VERIFY_BACKUP') return 'Verifying the backup'
  if (version !== null) return `Version ${version}`
  return kind === 'APPLY_CHANGES' ? 'Applying the changes' : 'The operation'
}

function success({ kind, version }: WaitedOperation): string {
  if (kind === 'STOP') return 'The environment is stopped'
  if (kind === 'DELETE') return 'The containers are removed'
  if (kind === 'START') return `Version ${version} is started`
  if (kind === 'RESTART') return `Version ${version} is restarted`
  if (kind === 'ROTATE_CREDENTIALS') return 'The credentials are rotated'
  if (kind === 'BACKUP') return 'The backup is taken'
  if (kind === 'RESTORE') return `The backup is restored, as version ${version}`
  if (kind === 'VERIFY_BACKUP') return 'The backup is verified: it was restored and answered'
  if (version !== null) return `Version ${version} is deployed`
  return kind === 'APPLY_CHANGES' ? 'The changes are applied' : 'The operation has succeeded'
}

const soFar = (cause: string) => (cause === '' ? '' : ` So far: ${sentence(cause)}`)

const detail = (cause: string) => (cause === '' ? '' : `: ${cause}`)

/** A cause may end in a full stop of its own. */
const sentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

function cancelled({ reason, message }: WaitedOperation): string {
  if (reason === 'SUPERSEDED') return ': a newer operation took its place'
  if (reason === 'CANCELLED_BY_USER') return ' on request'
  return detail(message ?? '')
}

function serving({ kind, environment }: WaitedOperation): string {
  const { status, isDeleted, currentVersion, isRolledOut, isServing } = environment
  if (isDeleted) return kind === 'DELETE' ? '' : 'The environment is deleted.'
  if (currentVersion === null) return 'Nothing serves: no version is deployed yet.'
  if (!isRolledOut) return `Version ${currentVersion} is still the current one.`
  if (isServing) return `Version ${currentVersion} still serves.`
  if (status === 'STOPPED') return 'Nothing serves: the environment is stopped.'
  if (status === 'UPDATING') return 'Nothing serves until the newer operation has ended.'
  return `Version ${currentVersion} should serve, but none of its containers is ready.`
}
