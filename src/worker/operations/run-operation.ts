import { backoff, withJitter } from '../../domain/backoff.ts'
import { Failure } from '../../domain/failure.ts'
import { ImageError } from '../../engines/images/image-builder.ts'
import { isUnavailable } from '../../storage/database/errors.ts'
import type { OperationKind } from '../../storage/database/generated/prisma/client.ts'
import type { AttemptContext, OperationHandler } from '../attempt/attempt-context.ts'
import { failOperation, retryOperationLater } from '../attempt/complete-operation.ts'
import { Abandoned } from '../claim/abandoned.ts'
import { isEngineAway } from '../engine/engine-health.ts'
import { maskedError } from '../text/masked-error.ts'
import { DeadlineExceeded } from '../time/deadline.ts'
import { backUp } from './back-up.ts'
import { deleteEnvironment } from './delete.ts'
import { deploy } from './deploy.ts'
import { countLostAttempts } from './lost-attempts.ts'
import { restore } from './restore.ts'
import { rotateCredentials } from './rotate-credentials.ts'
import { scale } from './scale.ts'
import { stop } from './stop.ts'
import { verifyBackup } from './verify-backup.ts'

const HANDLERS: Readonly<Record<OperationKind, OperationHandler>> = {
  DEPLOY_IMAGE: deploy,
  BUILD: deploy,
  REDEPLOY: deploy,
  RESTART: deploy,
  PROMOTE: deploy,
  ROLLBACK: deploy,
  START: deploy,
  STOP: stop,
  DELETE: deleteEnvironment,
  ROTATE_CREDENTIALS: rotateCredentials,
  BACKUP: backUp,
  RESTORE: restore,
  VERIFY_BACKUP: verifyBackup,
  APPLY_CHANGES: (attempt) => (attempt.operation.contentId ? deploy(attempt) : scale(attempt)),
}

const ENGINE_PAUSE_SECONDS = 3
const RETRY_SECONDS = { first: 1, max: 60 }
/** A registry that asks for more is asked again within the operation's time all the same. */
const MAX_RETRY_AFTER_SECONDS = 300

/**
 * Runs one attempt at an operation, which succeeds, fails or is put off. Throws only when nothing can be written about
 * it: the lease is lost, a request ended the operation, or the database is down.
 */
export async function runOperation(attempt: AttemptContext): Promise<void> {
  let counted: AttemptContext | null = attempt
  try {
    attempt.signal.throwIfAborted()
    counted = await countLostAttempts(attempt)
    if (!counted) return
    await counted.engine.requireReachable()
    await HANDLERS[counted.operation.kind](counted)
  } catch (error) {
    // A call that was aborted fails in its own way; the signal's reason says why.
    await handleFailure(counted ?? attempt, attempt.signal.aborted ? attempt.signal.reason : error)
  }
}

async function handleFailure(attempt: AttemptContext, error: unknown): Promise<void> {
  // A process that was paused finds broken connections before the timer of its lease fires.
  attempt.lease.assertHeld()
  if (error instanceof Abandoned || isUnavailable(error)) throw error
  const { operation, log } = attempt
  const about = { appEnvId: operation.appEnvId, operationId: operation.id, kind: operation.kind }
  if (error instanceof DeadlineExceeded) return failOperation(attempt, timedOut(attempt))
  if (isEngineAway(error)) {
    log.warn({ ...about }, 'Operation is waiting for the container engine')
    const waiting = { reason: 'ENGINE_UNREACHABLE', message: waitingFor(attempt) }
    return retryOperationLater(attempt, { ...waiting, afterSeconds: ENGINE_PAUSE_SECONDS, countsAsAttempt: false })
  }
  if (error instanceof Failure && error.isFinal) {
    log.warn({ ...about, reason: error.reason }, await attempt.quote(error.message))
    return failOperation(attempt, { reason: error.reason, message: error.message, attempt: operation.attempt + 1 })
  }
  if (error instanceof Failure) {
    log.warn({ ...about, reason: error.reason, attempt: operation.attempt + 1 }, await attempt.quote(error.message))
    return retryOrFail(attempt, error)
  }
  log.error(
    { ...about, err: maskedError(error, await attempt.mask()), attempt: operation.attempt + 1 },
    'Operation attempt failed',
  )
  return retryOrFail(attempt, error)
}

/** Names the region, and never the address: that is for the installation's admin alone. */
function waitingFor({ scope, engine }: AttemptContext): string {
  const which = scope === null ? 'the container engine' : `the container engine of the region ${scope.regionCode}`
  switch (engine.fault()) {
    case 'ENGINE_TAKEN':
      return `Waiting for ${which}: another Berth with the data of this one works there. /readyz says what to do`
    case 'ENGINE_UNSUPPORTED':
      return `Waiting for ${which}: Berth cannot use the one that answers. /readyz says why, and what to do`
    default:
      return `Waiting for ${which}: it does not answer. When it is started, the operation continues by itself`
  }
}

/** Bounded, with exponential backoff and jitter: what broke this attempt may have broken many. */
function retryOrFail(attempt: AttemptContext, error: unknown): Promise<void> {
  const { operation } = attempt
  const reason = error instanceof Failure ? error.reason : 'INTERNAL'
  const message = messageFor(error)
  const number = operation.attempt + 1
  if (number >= operation.maxAttempts) {
    const tries = `${message} (attempt ${number} of ${operation.maxAttempts})`
    return failOperation(attempt, { reason, message: tries, isDeadLetter: true, attempt: number })
  }
  const asked = Math.min(error instanceof ImageError ? (error.retryAfterSeconds ?? 0) : 0, MAX_RETRY_AFTER_SECONDS)
  const afterSeconds = Math.max(asked, withJitter(backoff(RETRY_SECONDS, operation.attempt)))
  return retryOperationLater(attempt, { reason, message, afterSeconds, countsAsAttempt: true })
}

/** Errors of a class of their own describe code and statements; those belong in the log only. */
const messageFor = (error: unknown): string =>
  error instanceof Failure || (error instanceof Error && error.constructor === Error)
    ? error.message
    : 'Something unexpected went wrong; the log says what'

function timedOut({ operation }: AttemptContext): { reason: string; message: string } {
  return operation.reason === 'ENGINE_UNREACHABLE'
    ? { reason: 'RUNTIME_UNAVAILABLE', message: 'No container engine answered in time' }
    : { reason: 'DEADLINE_EXCEEDED', message: 'The operation did not end before its deadline' }
}
