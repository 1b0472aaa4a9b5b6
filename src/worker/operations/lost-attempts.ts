import { backoff, withJitter } from '../../domain/backoff.ts'
import { record } from '../../storage/events/record.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { failOperation, retryOperationLater } from '../attempt/complete-operation.ts'
import { fenced } from '../claim/fenced.ts'

const REASON = 'WORKER_LOST'
const RETRY_SECONDS = { first: 1, max: 60 }

/**
 * Counts the attempts that ended their workers, or blocked them past their leases, before a step was finished. Returns
 * the attempt to go on with; null when there is none: after the first loss the operation goes on at once, after more it
 * is put off, and after the last attempt it is a dead letter.
 */
export async function countLostAttempts(attempt: AttemptContext): Promise<AttemptContext | null> {
  const { operation, log } = attempt
  const lost = operation.unfinishedClaims - 1
  if (lost < 1) return attempt
  const number = operation.attempt + lost
  const count = `attempt ${number} of ${operation.maxAttempts}`
  const message = `The worker ended, or stood still past its lease, while it ran this (${count})`
  log.warn({ appEnvId: operation.appEnvId, operationId: operation.id, attempt: number }, 'An attempt lost its worker')
  if (number >= operation.maxAttempts) {
    await failOperation(attempt, { reason: REASON, message, isDeadLetter: true, attempt: number })
    return null
  }
  const counted = { ...attempt, operation: { ...operation, attempt: number } }
  if (number === 1) {
    await recordLoss(counted, message)
    return counted
  }
  const afterSeconds = withJitter(backoff(RETRY_SECONDS, number - 1))
  const before = { ...attempt, operation: { ...operation, attempt: number - 1 } }
  await retryOperationLater(before, { reason: REASON, message, afterSeconds, countsAsAttempt: true, runsAlone: true })
  return null
}

async function recordLoss({ database, lease, operation, steps }: AttemptContext, message: string): Promise<void> {
  const { id, attempt, kind } = operation
  await fenced(database, lease, async (tx) => {
    await tx.operation.updateMany({ where: { id }, data: { attempt, unfinishedClaims: 1, version: { increment: 1 } } })
    const event = steps.event('operation.retrying', { kind, reason: REASON, message, attempt })
    await record(tx, operation.accountId, [event])
  })
}
