import { isRolledOut } from '../app-types/behaviours.ts'
import type { AppEnvStatus } from '../domain/app-env.ts'
import { isLost, type WaitedStatus, waitedMessage, waitedStatus } from '../domain/waited-operation.ts'
import type { Database } from '../storage/database/client.ts'
import type { Prisma } from '../storage/database/generated/prisma/client.ts'
import { inSnapshot } from '../storage/database/snapshot.ts'

/** The outcome of an operation that a call waited for, as the same text for both APIs. */
export interface WaitOutcome {
  status: WaitedStatus
  /** The operation failed or was cancelled. */
  isLost: boolean
  message: string
  /** The environment beside it, in the same snapshot. */
  appEnv: { id: string; cliEnvName: string; status: AppEnvStatus; version: number }
}

/** One for each operation that the call has begun. */
export type WaitOutcomes = readonly [WaitOutcome, ...WaitOutcome[]]

const withEnvironment = {
  content: { select: { version: true } },
  appEnv: {
    select: {
      id: true,
      cliEnvName: true,
      status: true,
      version: true,
      deletedAt: true,
      app: { select: { type: true } },
      currentContent: { select: { version: true } },
      _count: { select: { replicas: { where: { state: 'READY' } } } },
    },
  },
} satisfies Prisma.OperationInclude

type Waited = Prisma.OperationGetPayload<{ include: typeof withEnvironment }>

export async function readOutcomes(database: Database, operationIds: readonly string[]): Promise<WaitOutcomes> {
  const operations = await inSnapshot(database, (tx) =>
    tx.operation.findMany({
      where: { id: { in: [...operationIds] } },
      include: withEnvironment,
      orderBy: { id: 'asc' },
    }),
  )
  const [first, ...others] = operations.map(outcomeOf)
  if (!first) throw new Error(`No operation is left to report the outcome of: ${operationIds.join(', ')}`)
  return [first, ...others]
}

function outcomeOf({ appEnv, content, ...operation }: Waited): WaitOutcome {
  const status = waitedStatus(operation.status)
  const message = waitedMessage({
    ...operation,
    version: content?.version ?? null,
    environment: {
      status: appEnv.status,
      isDeleted: appEnv.deletedAt !== null,
      currentVersion: appEnv.currentContent?.version ?? null,
      isRolledOut: isRolledOut(appEnv.app),
      isServing: appEnv._count.replicas > 0,
    },
  })
  const { id, cliEnvName, version } = appEnv
  return { status, isLost: isLost(status), message, appEnv: { id, cliEnvName, status: appEnv.status, version } }
}

const WORST_FIRST: readonly WaitedStatus[] = ['FAILED', 'CANCELLED', 'RUNNING']

/** Of several operations, the one status that a script has to know. */
export const overallStatus = (outcomes: WaitOutcomes): WaitedStatus =>
  WORST_FIRST.find((status) => outcomes.some((outcome) => outcome.status === status)) ?? 'SUCCEEDED'
