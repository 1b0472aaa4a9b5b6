import type { Database, Transaction } from '../../database/client.ts'
import type { AppEnv, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import type { Permission } from '../../domain/permissions.ts'
import { appEnvListItem } from '../../resources/app-env.ts'
import { appEnv } from '../../resources/app-env-status.ts'
import { ORDER } from '../../resources/order.ts'
import { findApp } from '../app/app-queries.ts'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import { id } from '../kernel/input.ts'
import { listQuery } from '../kernel/query.ts'
import { findRow, type Wanted, withColumns } from '../kernel/read.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type AppEnvAddress, addressOf, loadEverything } from '../targets/load-app-env.ts'

/** The environments that a caller may see in one account: the scope of every list, in both APIs. */
function visibleAppEnvs(caller: Caller, accountId: string): Prisma.AppEnvWhereInput {
  const visible = visibleAppEnvIds(caller, accountId)
  return { accountId, deletedAt: null, ...(visible ? { id: { in: [...visible] } } : {}) }
}

interface AppEnvFilter {
  accountId?: string | undefined
  appId?: string | undefined
}

const appEnvs = collection({
  model: 'AppEnv',
  orderBy: ORDER.appEnv,
  async scope(database, caller, { accountId, appId }: AppEnvFilter) {
    const app = appId ? await findApp(database, caller, appId) : null
    const account = await requireAccount(
      database,
      caller,
      accountId ?? app?.accountId ?? accountOrCurrent(caller, null),
    )
    permit(caller, 'appEnv:read', { accountId: account })
    return { ...visibleAppEnvs(caller, account), ...(app ? { appId: app.id } : {}) }
  },
})

/** Finds the environment and checks that the caller may read all of it, its configuration included. */
export const getAppEnv = (
  database: Database | Transaction,
  caller: Caller,
  address: AppEnvAddress,
  wanted: Wanted = {},
): Promise<AppEnv> => findPermitted(database, caller, address, { permission: 'appEnv:read', wanted })

/**
 * The same for callers who may only watch it run, as its own token may: what is shown of the row is up to the caller of
 * this function.
 */
export const observeAppEnv = (
  database: Database | Transaction,
  caller: Caller,
  address: AppEnvAddress,
  wanted: Wanted = {},
): Promise<AppEnv> => findPermitted(database, caller, address, { permission: 'appEnv:observe', wanted })

async function findPermitted(
  database: Database | Transaction,
  caller: Caller,
  address: AppEnvAddress,
  { permission, wanted }: { permission: Permission; wanted: Wanted },
): Promise<AppEnv> {
  const where = addressOf(address)
  const query = { ...withColumns(wanted, 'id', 'accountId'), where: { ...where, deletedAt: null } }
  const appEnv = await findRow(database, 'AppEnv', query)
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  permit(caller, permission, { accountId: appEnv.accountId, appEnvId: appEnv.id })
  return appEnv
}

/** The environment with all that decisions about it depend on, found by one of the two functions above. */
export async function loadAppEnv(
  tx: Transaction,
  caller: Caller,
  address: AppEnvAddress,
  find: typeof getAppEnv = getAppEnv,
) {
  const { id } = await find(tx, caller, address)
  return loadEverything(tx, id)
}

export const listAppEnvs = listQuery({
  name: 'listAppEnvs',
  path: '/app-envs',
  permission: 'appEnv:read',
  about: 'The environments of an app or an account; of your current account when neither is given.',
  input: { accountId: id('account').optional(), appId: id('app').optional() },
  of: appEnv,
  answer: appEnvListItem,
  from: appEnvs,
})
