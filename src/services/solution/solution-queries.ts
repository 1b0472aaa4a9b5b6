import { accountOrCurrent, type Caller, permit, userOf, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { exampleId } from '../../calls/examples.ts'
import { containing, oneOf, withText } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { listQuery, query, wholeListQuery } from '../../calls/query.ts'
import { findByKey, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Solution } from '../../solutions/solution.ts'
import { SOLUTIONS } from '../../solutions/solutions.ts'
import type { Database } from '../../storage/database/client.ts'
import type { SolutionInstallation } from '../../storage/database/generated/prisma/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { solution } from './solution-fields.ts'
import { installationStatus, solutionInstallation } from './solution-installation-fields.ts'

/** Everything that can be installed; in an account, for those who may see it. */
async function findSolutions(
  database: Database,
  caller: Caller,
  { accountId }: { accountId?: string | undefined },
): Promise<readonly Solution[]> {
  userOf(caller)
  if (accountId !== undefined)
    permit(caller, 'account:read', { accountId: await requireAccount(database, caller, accountId) })
  return SOLUTIONS
}

async function findInstallation(
  database: Database,
  caller: Caller,
  installationId: string,
  wanted: Wanted = {},
): Promise<SolutionInstallation> {
  const columns = withColumns(wanted, 'accountId', 'deletedAt')
  const found = await findByKey(database, 'SolutionInstallation', { ...columns, where: { id: installationId } })
  if (!found || found.deletedAt !== null) throw notFound('installation', installationId)
  permit(caller, 'app:read', { accountId: found.accountId })
  if (visibleAppEnvIds(caller, found.accountId) === null) return found
  // It shows all of its environments.
  for (const { appEnvId } of await database.solutionComponent.findMany({ where: { installationId } }))
    permit(caller, 'appEnv:read', { accountId: found.accountId, appEnvId })
  return found
}

interface InstallationFilter {
  accountId?: string | undefined
}

const installations = collection({
  model: 'SolutionInstallation',
  filters: {
    appName: containing('appName', 'Text in the name, in any case.'),
    status: oneOf('status', installationStatus, 'Progress: only installations with one of these.'),
    solutionSlug: withText('solutionSlug', 'Slug of a solution: only its installations.'),
  },
  async scope(database, caller, { accountId }: InstallationFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'app:read', { accountId: owner })
    const visible = visibleAppEnvIds(caller, owner)
    return {
      accountId: owner,
      deletedAt: null,
      ...(visible ? { components: { every: { appEnvId: { in: [...visible] } } } } : {}),
    }
  },
})

export const listSolutions = wholeListQuery({
  name: 'listSolutions',
  path: '/solutions',
  permission: 'catalogue:read',
  about: 'The solutions that can be installed, with their inputs and the graph of their components.',
  example: { request: { accountId: exampleId('acc') } },
  input: { accountId: id('account that a solution is to be installed in').optional() },
  of: solution,
  isRecord: true,
  itemsAbout: 'Solutions, in the order of the catalogue.',
  async all({ database, caller }, filter) {
    const found = await findSolutions(database, caller, filter)
    return found.map((one) => solution.answer.record(one))
  },
})

export const getInstallation = query({
  name: 'getInstallation',
  path: '/solutions/installation',
  permission: 'app:read',
  about: 'An installation: the state of each of its components, and why those failed that did.',
  input: { installationId: id('installation') },
  key: { field: 'installationId', prefix: 'inst' },
  of: solutionInstallation,
  version: true,
  find: ({ database, caller }, { installationId }, wanted) =>
    findInstallation(database, caller, installationId, wanted),
})

export const listInstallations = listQuery({
  name: 'listInstallations',
  path: '/solutions/installations',
  permission: 'app:read',
  about: 'The installations of an account, newest first.',
  example: { request: { accountId: exampleId('acc'), limit: 20 } },
  input: { accountId: id('account').optional() },
  of: solutionInstallation,
  from: installations,
})
