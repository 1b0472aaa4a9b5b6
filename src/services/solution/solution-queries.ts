import type { Database } from '../../database/client.ts'
import type { SolutionInstallation } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import type { Solution } from '../../solutions/solution.ts'
import { SOLUTIONS } from '../../solutions/solutions.ts'
import { accountOrCurrent, type Caller, permit, userOf, visibleAppEnvIds } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { findByKey, type Wanted, withColumns } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'

/** Everything that can be installed; in an account, for those who may see it. */
export async function listSolutions(
  database: Database,
  caller: Caller,
  { accountId }: { accountId?: string | undefined },
): Promise<readonly Solution[]> {
  userOf(caller)
  if (accountId !== undefined)
    permit(caller, 'account:read', { accountId: await requireAccount(database, caller, accountId) })
  return SOLUTIONS
}

export async function getInstallation(
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

export const installations = collection({
  model: 'SolutionInstallation',
  orderBy: ORDER.installation,
  async scope(database, caller, { accountId }: InstallationFilter) {
    const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
    permit(caller, 'app:read', { accountId: owner })
    const visible = visibleAppEnvIds(caller, owner)
    return {
      ...{ accountId: owner, deletedAt: null },
      ...(visible ? { components: { every: { appEnvId: { in: [...visible] } } } } : {}),
    }
  },
})
