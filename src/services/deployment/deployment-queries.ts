import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { oneOf, since, until, withId, withText } from '../../calls/filters.ts'
import { appEnvTarget, id } from '../../calls/input.ts'
import { BY_VERSION } from '../../calls/order.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { deployment, deploymentStatus } from './deployment-fields.ts'

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

/** The versions of one environment. */
const deployments = collection({
  model: 'Content',
  orders: BY_VERSION,
  filters: {
    status: oneOf('status', deploymentStatus, 'Progress: only versions with one of these.'),
    gitBranch: withText('gitBranch', 'Git branch: only versions that were built from it.'),
    gitCommitId: withText('gitCommitId', 'Git commit: only versions that were built from it.'),
    requestedBy: withId('requestedBy', 'user who requested the versions'),
    from: since('createdAt', 'Earliest time of the versions.'),
    to: until('createdAt', 'Latest time of the versions.'),
  },
  async scope(database, caller, { appEnvId, envName }: AppEnvAddress) {
    const { id } = await observeAppEnv(database, caller, { appEnvId, envName })
    return { appEnvId: id }
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
  input: appEnvTarget,
  of: deployment,
  from: deployments,
})
