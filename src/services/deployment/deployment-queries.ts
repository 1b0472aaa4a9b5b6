import type { Database } from '../../database/client.ts'
import type { Content } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { observeAppEnv } from '../app-env/app-env-queries.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { findRow, type Wanted, withColumns } from '../kernel/read.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'

/** One version. It is gone from every answer when its environment is. */
export async function getDeployment(
  database: Database,
  caller: Caller,
  contentId: string,
  wanted: Wanted = {},
): Promise<Content> {
  const where = { id: contentId, appEnv: { deletedAt: null } }
  const content = await findRow(database, 'Content', { ...withColumns(wanted, 'accountId', 'appEnvId'), where })
  if (!content) throw notFound('deployment', contentId)
  const { accountId, appEnvId } = content
  permit(caller, 'appEnv:observe', { accountId, appEnvId })
  return content
}

export interface DeploymentFilter extends AppEnvAddress {
  /** Requested no earlier, and no later than this. */
  fromDate?: Date | string | null | undefined
  toDate?: Date | string | null | undefined
}

/** The versions of one environment. */
export const deployments = collection({
  model: 'Content',
  orderBy: ORDER.deployment,
  async scope(database, caller, { fromDate, toDate, ...address }: DeploymentFilter) {
    const { id } = await observeAppEnv(database, caller, address)
    return { appEnvId: id, createdAt: { ...(fromDate ? { gte: fromDate } : {}), ...(toDate ? { lte: toDate } : {}) } }
  },
})
