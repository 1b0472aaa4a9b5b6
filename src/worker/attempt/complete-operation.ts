import { isService } from '../../app-types/behaviours.ts'
import type { AppEnvStatus } from '../../domain/app-env.ts'
import { statusAfter } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { NewEvent } from '../../storage/events/event.ts'
import { notifyIngresses, notifyRuns } from '../../storage/events/notifications.ts'
import { record } from '../../storage/events/record.ts'
import { fenced } from '../claim/fenced.ts'
import type { AttemptContext } from './attempt-context.ts'
import { type FinishedStep, writeToOpenVersion } from './steps.ts'

type Outcome = Prisma.OperationUncheckedUpdateManyInput

interface Success {
  status: AppEnvStatus
  /** Other columns of the environment. */
  appEnv?: Prisma.AppEnvUncheckedUpdateManyInput
  finish: readonly FinishedStep[]
  /** Whatever else commits in the same transaction: routes, the version. */
  write?: (tx: Transaction) => Promise<unknown>
  /** The same for what subscribers are to hear of: returns its events. */
  announce?: (tx: Transaction) => Promise<NewEvent[]>
}

/** Ends the operation and applies its result in one transaction, so that no reader ever sees half of it. */
export async function completeOperation(
  attempt: AttemptContext,
  { status, appEnv = {}, finish, write, announce }: Success,
): Promise<void> {
  const { steps, operation } = attempt
  await completing(attempt, async (tx) => {
    await write?.(tx)
    const outcome: Outcome = { status: 'SUCCEEDED', reason: null, message: null, finishedAt: now(attempt) }
    const event = steps.event('operation.succeeded', { kind: operation.kind, contentId: operation.contentId })
    const events = await steps.conclude(tx, outcome, event, finish)
    const announced = (await announce?.(tx)) ?? []
    return [...announced, ...events, ...(await changeStatus(tx, attempt, status, appEnv))]
  })
}

interface Failure {
  reason: string
  message: string
  /** All attempts are used up: the operation is a dead letter until a person re-drives it. */
  isDeadLetter?: boolean
  /** The number of attempts, where it differs from what is recorded. */
  attempt?: number
}

/**
 * Ends the operation without its result: the environment returns to its previous status, and the version records why it
 * failed.
 */
export async function failOperation(
  attempt: AttemptContext,
  { reason, isDeadLetter = false, attempt: number = attempt.operation.attempt, ...failure }: Failure,
): Promise<void> {
  const { steps, operation, appEnv } = attempt
  const message = await attempt.quote(failure.message)
  await completing(attempt, async (tx) => {
    const finishedAt = now(attempt)
    await writeToOpenVersion(tx, operation.contentId, { status: 'FAILED', reason, message, finishedAt })
    // Its release command, if that still runs, is no longer needed.
    if (!steps.isFinished('release')) await notifyRuns(tx, appEnv.id)
    const outcome: Outcome = { status: 'FAILED', reason, message, isDeadLetter, attempt: number, finishedAt }
    const { kind, contentId } = operation
    const event = steps.event('operation.failed', { kind, contentId, reason, message, isDeadLetter })
    const events = await steps.conclude(tx, outcome, event)
    const status = statusAfter(operation.previousStatus, appEnv.currentContentId !== null)
    return [...events, ...(await changeStatus(tx, attempt, status, reasonOfNothing(attempt, message)))]
  })
}

/** Where nothing was ever deployed, no container says why nothing runs: the failure does. */
function reasonOfNothing({ appEnv, operation }: AttemptContext, message: string): { observedReason?: string } {
  if (appEnv.currentContentId !== null || !operation.content) return {}
  const [cause = ''] = message.split('\n')
  const next = isService(appEnv.app)
    ? 'change its settings or version (PUT /app-env) if they are the cause, then redeploy'
    : 'mend the cause, then deploy again'
  const observedReason = `Nothing runs, because version ${operation.content.version} failed: ${cause}. Next: ${next}; latestDeployment has the whole message`
  return { observedReason }
}

export interface RetryReason {
  reason: string
  message: string
  afterSeconds: number
  /** Waiting for an engine does not count as an attempt. */
  countsAsAttempt: boolean
  /** Not beside another operation that lost its worker repeatedly. */
  runsAlone?: boolean
}

/** Leaves the operation open, to be retried later, but no later than its deadline. */
export async function retryOperationLater(attempt: AttemptContext, pause: RetryReason): Promise<void> {
  const { reason, afterSeconds, countsAsAttempt } = pause
  const { steps, operation } = attempt
  // A failure that a worker could record shows that the operation does not end workers; a wait shows nothing.
  const runsAlone = pause.runsAlone ?? (!countsAsAttempt && operation.runsAlone)
  const message = await attempt.quote(pause.message)
  const next = now(attempt).getTime() + afterSeconds * 1000
  const notBefore = new Date(Math.min(next, Math.max(operation.deadlineAt.getTime(), now(attempt).getTime())))
  const number = operation.attempt + (countsAsAttempt ? 1 : 0)
  // Recorded once: an outage of an hour must not produce a thousand events.
  const isNews = countsAsAttempt || operation.reason !== reason
  await completing(attempt, async (tx) => {
    const outcome: Outcome = { reason, message, attempt: number, notBefore }
    const event = steps.event('operation.retrying', { kind: operation.kind, reason, message, attempt: number })
    const data = { ...outcome, runsAlone, steps: steps.restarted(), version: { increment: 1 } }
    await tx.operation.updateMany({ where: { id: operation.id }, data })
    await writeToOpenVersion(tx, operation.contentId, { message })
    return isNews ? [event] : []
  })
}

/**
 * The last transaction of an attempt. Events come last, because they lock the account's event sequence until the
 * commit.
 */
async function completing(attempt: AttemptContext, write: (tx: Transaction) => Promise<NewEvent[]>): Promise<void> {
  const { database, lease, operation } = attempt
  lease.isCompleting = true
  await fenced(database, lease, async (tx) => record(tx, operation.accountId, await write(tx)))
  lease.operationId = undefined
}

async function changeStatus(
  tx: Transaction,
  { appEnv, steps }: AttemptContext,
  status: AppEnvStatus,
  data: Prisma.AppEnvUncheckedUpdateManyInput,
): Promise<NewEvent[]> {
  await tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { ...data, status, version: { increment: 1 } } })
  // For a stopped environment, an ingress answers clients with the reason: it has to learn the new status.
  await notifyIngresses(tx)
  const events = [steps.event('appEnv.statusChanged', { status, previousStatus: appEnv.status })]
  if (data.health === undefined || data.health === appEnv.health) return events
  return [...events, steps.event('appEnv.healthChanged', { health: data.health, previousHealth: appEnv.health })]
}

const now = ({ lease }: AttemptContext): Date => lease.claim.clock.now()
