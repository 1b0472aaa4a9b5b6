import type { Database } from '../../database/client.ts'
import { ORDER } from '../../resources/order.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { findRows, type Wanted } from '../kernel/read.ts'

/** Where the engines are is for the installation's admin alone. */
export async function listRegionEngines(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'installation:manage', { accountId: null })
  return findRows(database, 'Region', { ...wanted, where: {}, orderBy: ORDER.region })
}

/** Plans are for everybody to see, like regions: they belong to no account. */
export async function listPlans(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'catalogue:read', { accountId: null })
  return findRows(database, 'Plan', { ...wanted, where: {}, orderBy: ORDER.plan })
}
