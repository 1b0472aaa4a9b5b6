import type { Database } from '../../database/client.ts'
import { inSnapshot } from '../../database/snapshot.ts'
import { refuseRollback } from '../../domain/rollback.ts'
import type { Caller } from '../caller.ts'
import type { AppEnvAddress } from './load-app-env.ts'
import { getAppEnv } from './read-app-envs.ts'

export interface HistoryRequest {
  limit: number
  offset: number
  fromDate?: string | undefined
  toDate?: string | undefined
}

/** The environment's versions, newest first, each with whether it can be rolled back to, and if not, why. */
export async function readAppEnvHistory(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  request: HistoryRequest,
) {
  const { limit, offset, fromDate, toDate } = request
  const range = { ...(fromDate ? { gte: new Date(fromDate) } : {}), ...(toDate ? { lte: new Date(toDate) } : {}) }
  const { appEnv, contents, total } = await inSnapshot(database, async (tx) => {
    const appEnv = await getAppEnv(tx, caller, address)
    const where = { appEnvId: appEnv.id, ...(fromDate || toDate ? { createdAt: range } : {}) }
    const contents = await tx.content.findMany({ where, orderBy: { version: 'desc' }, take: limit, skip: offset })
    return { appEnv, contents, total: await tx.content.count({ where }) }
  })
  const activities = contents.map((content) => {
    const refusal = refuseRollback(content, appEnv.currentContentId)
    return {
      contentId: content.id,
      version: content.version,
      status: content.status,
      timestamp: content.createdAt.toISOString(),
      userId: content.requestedBy,
      gitCommitId: content.gitCommitId,
      gitBranch: content.gitBranch,
      containerImage: content.image,
      message: content.message,
      reason: content.reason,
      canRollback: refusal === null,
      cannotRollbackReason: refusal?.message ?? null,
    }
  })
  return {
    appEnvId: appEnv.id,
    activities,
    pagination: { limit, offset, total, hasMore: offset + contents.length < total },
  }
}
