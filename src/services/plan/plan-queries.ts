import { type Caller, permit } from '../../calls/caller.ts'
import { ORDER } from '../../calls/order.ts'
import { wholeListQuery } from '../../calls/query.ts'
import { findRows, type Wanted } from '../../calls/read.ts'
import type { Database } from '../../storage/database/client.ts'
import { plan } from './plan-fields.ts'
import { regionEngine } from './region-engine-fields.ts'

/** Where the engines are is for the installation's admin alone. */
async function findRegionEngines(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'installation:manage', { accountId: null })
  return findRows(database, 'Region', { ...wanted, where: {}, orderBy: ORDER.region })
}

/** All users see plans, like regions: they belong to no account. */
async function findPlans(database: Database, caller: Caller, wanted: Wanted = {}) {
  permit(caller, 'catalogue:read', { accountId: null })
  return findRows(database, 'Plan', { ...wanted, where: {}, orderBy: ORDER.plan })
}

export const listPlans = wholeListQuery({
  name: 'listPlans',
  path: '/plans',
  permission: 'catalogue:read',
  about: 'The plans of the installation, with their limits.',
  input: {},
  of: plan,
  isRecord: false,
  itemsAbout: 'Plans of the installation, by code.',
  all: ({ database, caller }, _filter, wanted) => findPlans(database, caller, wanted),
})

export const listRegionEngines = wholeListQuery({
  name: 'listRegionEngines',
  path: '/region-engines',
  permission: 'installation:manage',
  about: 'The container engine of each region, and whether it answers. For the installation’s admin.',
  input: {},
  of: regionEngine,
  isRecord: false,
  items: 'engines',
  itemsAbout: 'Engines, by the code of their region.',
  all: ({ database, caller }, _filter, wanted) => findRegionEngines(database, caller, wanted),
})
