import { type Caller, permit } from '../../calls/caller.ts'
import { findRow, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Permission } from '../../domain/permissions.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { AppEnv } from '../../storage/database/generated/prisma/client.ts'
import { type AppEnvAddress, addressOf, loadEverything } from './load-app-env.ts'

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
