import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { appEnvTarget, id, instant } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { deployment } from './deployment-fields.ts'

/** One version. It is gone from every answer when its environment is. */
async function findDeployment(
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
const deployments = collection({
  model: 'Content',
  orderBy: ORDER.deployment,
  async scope(database, caller, { fromDate, toDate, ...address }: DeploymentFilter) {
    const { id } = await observeAppEnv(database, caller, address)
    return { appEnvId: id, createdAt: { ...(fromDate ? { gte: fromDate } : {}), ...(toDate ? { lte: toDate } : {}) } }
  },
})

/** REST has them in the history of an environment. */
export const getDeployment = query({
  name: 'getDeployment',
  path: null,
  permission: 'appEnv:observe',
  about: 'A version of an environment, by its id.',
  input: { contentId: id('version') },
  key: { field: 'contentId', prefix: 'con' },
  of: deployment,
  find: ({ database, caller }, { contentId }, wanted) => findDeployment(database, caller, contentId, wanted),
})

export const listDeployments = listQuery({
  name: 'listDeployments',
  path: null,
  permission: 'appEnv:observe',
  about: 'The versions of an environment, newest first.',
  input: {
    ...appEnvTarget,
    fromDate: instant('Earliest time at which the items were requested.').optional(),
    toDate: instant('Latest time at which the items were requested.').optional(),
  },
  of: deployment,
  from: deployments,
})
