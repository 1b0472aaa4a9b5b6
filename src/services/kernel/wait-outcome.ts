import { isRolledOut } from '../../app-types/behaviours.ts'
import type { Database } from '../../database/client.ts'
import { inSnapshot } from '../../database/snapshot.ts'
import type { AppEnvStatus } from '../../domain/app-env.ts'
import { isLost, type WaitedStatus, waitedMessage, waitedStatus } from '../../domain/waited-operation.ts'

/** What became of the operation that a call waited for, in the same words for both APIs. */
export interface WaitOutcome {
  status: WaitedStatus
  /** The operation failed or was cancelled. */
  isLost: boolean
  message: string
  /** The environment beside it, in the same snapshot. */
  appEnv: { status: AppEnvStatus; version: number }
}

const withEnvironment = {
  content: { select: { version: true } },
  appEnv: {
    select: {
      ...{ status: true, version: true, deletedAt: true, app: { select: { type: true } } },
      currentContent: { select: { version: true } },
      _count: { select: { replicas: { where: { state: 'READY' } } } },
    },
  },
} as const

export async function readOutcome(database: Database, operationId: string): Promise<WaitOutcome> {
  const { appEnv, content, ...operation } = await inSnapshot(database, (tx) =>
    tx.operation.findUniqueOrThrow({ where: { id: operationId }, include: withEnvironment }),
  )
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
  return { status, isLost: isLost(status), message, appEnv: { status: appEnv.status, version: appEnv.version } }
}
