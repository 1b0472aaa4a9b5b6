import { statusAfter } from '../../src/domain/operation.ts'
import type { Database, Transaction } from '../../src/storage/database/client.ts'
import type { AppEnv, Operation } from '../../src/storage/database/generated/prisma/client.ts'
import { INSTALLATION_EVENTS, type NewEvent } from '../../src/storage/events/event.ts'
import { record } from '../../src/storage/events/record.ts'

export type Outcome = 'SUCCEEDED' | 'FAILED' | 'DEAD_LETTER'

const DIGEST = `example/image@sha256:${'a'.repeat(64)}`
const FAILURE = { reason: 'NOT_READY', message: 'The new version never became ready' }

/**
 * Ends an operation as the worker would, without an engine, so that the APIs can be tested alone: the same rows and the
 * same events, in one transaction. Does nothing to an operation that has ended.
 */
export async function endOperation(
  database: Database,
  operationId: string,
  outcome: Outcome = 'SUCCEEDED',
): Promise<void> {
  await database.$transaction(async (tx) => {
    const operation = await tx.operation.findUniqueOrThrow({ where: { id: operationId }, include: { appEnv: true } })
    if (operation.status !== 'QUEUED' && operation.status !== 'RUNNING') return
    const { appEnv } = operation
    const status =
      outcome === 'SUCCEEDED' ? await succeed(tx, operation, appEnv) : await fail(tx, operation, appEnv, outcome)
    const about = { appId: appEnv.appId, appEnvId: appEnv.id, operationId }
    const { kind, contentId } = operation
    const failure = { kind, contentId, ...FAILURE, isDeadLetter: outcome === 'DEAD_LETTER' }
    const events: NewEvent[] =
      outcome === 'SUCCEEDED'
        ? [{ type: 'operation.succeeded', ...about, payload: { kind, contentId } }]
        : [{ type: 'operation.failed', ...about, payload: failure }]
    if (status)
      events.push({ type: 'appEnv.statusChanged', ...about, payload: { status, previousStatus: appEnv.status } })
    await record(tx, operation.accountId ?? INSTALLATION_EVENTS, events)
  })
}

async function succeed(tx: Transaction, operation: Operation, appEnv: AppEnv) {
  const now = new Date()
  const ended = { status: 'SUCCEEDED', startedAt: now, finishedAt: now, version: { increment: 1 } } as const
  await tx.operation.update({ where: { id: operation.id }, data: ended })
  if (operation.kind === 'DELETE') return null
  await tx.replica.deleteMany({ where: { appEnvId: appEnv.id } })
  if (operation.kind === 'STOP') return change(tx, appEnv, { status: 'STOPPED', replicasDesired: 0, ...observed(0) })
  if (operation.contentId) {
    const content = await tx.content.findUniqueOrThrow({ where: { id: operation.contentId } })
    const imageDigest = content.imageDigest ?? DIGEST
    const deployed = {
      status: 'DEPLOYED',
      imageDigest,
      deployedAt: content.deployedAt ?? now,
      finishedAt: now,
    } as const
    await tx.content.update({ where: { id: content.id }, data: deployed })
  }
  const currentContentId = operation.contentId ?? appEnv.currentContentId
  await tx.replica.createMany({ data: readyReplicas(operation, appEnv, currentContentId) })
  const running = { rolloutId: operation.id, replicasDesired: appEnv.containers, ...observed(appEnv.containers) }
  return change(tx, appEnv, { status: 'RUNNING', currentContentId, ...running })
}

/** Without addresses: there is no engine, and no ingress routes to them. */
const readyReplicas = ({ id: rolloutId }: Operation, { id: appEnvId, containers }: AppEnv, contentId: string | null) =>
  Array.from({ length: contentId === null ? 0 : containers }, (_, index) => ({
    name: `${rolloutId}-${index}`,
    appEnvId,
    contentId: contentId ?? '',
    rolloutId,
    index,
    state: 'READY' as const,
  }))

async function fail(tx: Transaction, operation: Operation, appEnv: AppEnv, outcome: Outcome) {
  const ended = { status: 'FAILED', ...FAILURE, finishedAt: new Date() } as const
  const isDeadLetter = outcome === 'DEAD_LETTER'
  await tx.operation.update({
    where: { id: operation.id },
    data: { ...ended, isDeadLetter, version: { increment: 1 } },
  })
  if (operation.contentId) {
    await tx.content.updateMany({
      where: { id: operation.contentId, status: { in: ['QUEUED', 'DEPLOYING'] } },
      data: ended,
    })
  }
  return change(tx, appEnv, { status: statusAfter(operation.previousStatus, appEnv.currentContentId !== null) })
}

const observed = (ready: number) =>
  ({
    health: ready > 0 ? 'HEALTHY' : 'UNKNOWN',
    replicasRunning: ready,
    replicasReady: ready,
    observedAt: new Date(),
  }) as const

type Change = NonNullable<Parameters<Transaction['appEnv']['update']>[0]>['data']

async function change(tx: Transaction, { id }: AppEnv, data: Change) {
  const { status } = await tx.appEnv.update({ where: { id }, data: { ...data, version: { increment: 1 } } })
  return status
}
